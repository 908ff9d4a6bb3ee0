// Values that several keys of a workflow file hold.
import * as z from 'zod'
import { isUselessLimit, parseDuration, timeLimitHint } from './duration.ts'
import { ownType } from './event.ts'

/** One variable, and nothing beside it. */
export const variable = /^\{[\w.]+\}$/

export const text = z.string()
export const name = z.string().regex(/^[A-Za-z_][\w-]*$/, 'a name: letters, digits, _ and -')
const durationHint = 'a duration such as 90s, 30m or 2h'
/** A time to wait, which may be none. */
export const delay = z
  .string(durationHint)
  .refine((value) => variable.test(value) || parseDuration(value) !== undefined, {
    message: durationHint,
  })
/** A time that something may take. */
export const duration = delay.refine((value) => !isUselessLimit(value), { message: timeLimitHint })
export const scalar = z.union([z.string(), z.number(), z.boolean()])

/** `says` and `emits` are tables by moment: start, commit, end, a label, an outcome, else. */
export const says = z.record(z.string(), z.string())
const ownName = name.refine((value) => ownType(value) !== undefined, {
  message: "a name of your own: this one is an event of Baton's",
})
const emittedData = z.record(z.string(), z.json()).refine((data) => !Object.hasOwn(data, 'key'), {
  message: "data without 'key', which is the journal's own",
})
export const emitted = z.union([ownName, z.strictObject({ type: ownName, data: emittedData.optional() })])
export const emits = z.record(z.string(), emitted)

export const gate = z.union([name, z.record(z.string(), z.json())])
