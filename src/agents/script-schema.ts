import * as z from 'zod'
import { agentErrors } from '../model/agent.ts'
import { parseDuration } from '../model/duration.ts'
import { survivesJson, type Json } from '../model/json.ts'

/** What a script may say. Short forms are made long here: whoever plays a call knows only one form of each thing. */

const answerForms = ['fenced', 'bare', 'prose', 'single_quotes', 'broken', 'twice', 'none'] as const

export type AnswerForm = (typeof answerForms)[number]

const text = z.string()
const path = z.string().min(1, 'a path')
const argv = z.tuple([z.string().min(1)], z.string())

const durationHint = 'a duration such as 250ms, 5s or 2m'

const duration = z.string(durationHint).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms === undefined) context.addIssue(durationHint)
  return ms ?? z.NEVER
})

const units: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }

const sizeHint = 'a size such as 500B, 64KB, 20MB or 1GB'

const size = z.string(sizeHint).transform((value, context) => {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(B|KB|MB|GB)$/.exec(value) ?? []
  const factor = units[unit]
  if (factor === undefined) context.addIssue(sizeHint)
  return Math.round(Number(amount) * (factor ?? 0))
})

const run = z.union(
  [
    argv.transform((words) => ({ argv: words, must: false })),
    strict({ argv, must: z.boolean().default(false) }),
  ],
  'a command is a list of texts, or { argv: [...], must: true }',
)

const start = z.union([
  argv.transform((words) => ({ argv: words, session: false })),
  strict({ argv, session: z.boolean().default(false) }),
])

const starts = z.union(
  [start.transform((one) => [one]), z.array(start).min(1)],
  'a command is a list of texts, or { argv: [...], session: true }; several of them are a list of these',
)

const commit = strict({
  message: text.min(1),
  add: z.union([z.literal('all'), z.array(path).min(1)]).default('all'),
})

const commits = z.union(
  [text.min(1).transform((message) => [{ message, add: 'all' as const }]), z.array(commit).min(1)],
  'a message, or a list of { message: ..., add: all } or { message: ..., add: [path, ...] }',
)

const ends = z.union(
  [
    strict({ exit: z.int().min(0).max(255) }).transform(({ exit }) => ({
      type: 'exit' as const,
      code: exit,
    })),
    strict({ hang: z.literal(true), stubborn: z.boolean().default(false) }).transform(({ stubborn }) => ({
      type: 'hang' as const,
      stubborn,
    })),
    strict({ crash: z.literal(true) }).transform(() => ({ type: 'crash' as const })),
    strict({ partial: z.literal(true) }).transform(() => ({ type: 'partial' as const })),
  ],
  'one of { exit: 0 to 255 }, { hang: true }, { hang: true, stubborn: true }, { crash: true }, { partial: true }',
)

const tool = strict({
  name: text.min(1).default('shell'),
  lasts: duration.default(0),
  ok: z.boolean().default(true),
})

const amount = z.number().min(0).optional()

const instantHint = 'a time such as 2027-01-31T12:00:00Z'

const instant = z.string(instantHint).transform((value, context) => {
  const at = Date.parse(value)
  if (Number.isNaN(at)) context.addIssue(instantHint)
  return at
})

const fails = strict({
  error: z.enum(agentErrors),
  message: text.optional(),
  resets_in: duration.optional(),
  resets_at: instant.optional(),
})

const callKeys = {
  expects: z.array(text).optional(),
  expects_file: z.array(path).optional(),
  template: z.boolean().optional(),
  delay: duration.optional(),
  writes: z.record(path, text).optional(),
  edits: z.array(strict({ file: path, replace: text.min(1), with: text })).optional(),
  deletes: z.array(path).optional(),
  symlinks: z.record(path, path).optional(),
  runs: z.array(run).optional(),
  commits: commits.optional(),
  starts: starts.optional(),
  model: text.optional(),
  tools: z.array(tool).min(1).optional(),
  usage: strict({ input: amount, cached: amount, output: amount, cost: amount }).optional(),
  fails: fails.optional(),
  prints: text.optional(),
  flood: size.optional(),
  answer: z.custom<Json>(survivesJson, 'plain JSON').optional(),
  as: z.enum(answerForms).optional(),
  after: text.optional(),
  ends: ends.optional(),
}

const call = strict(callKeys).superRefine(refuseMissingAnswer)

const scalar = z.union([z.string(), z.number(), z.boolean()], 'a text, a number, true or false')

/** What one visit of a step does: a list of calls, or the keys of the only one. */
const entry = strict({
  when: z.record(z.string(), scalar).default({}),
  calls: z.array(call).min(1).optional(),
  ...callKeys,
}).transform(({ when, calls, ...only }, context) => {
  if (calls === undefined) {
    refuseMissingAnswer(only, context)
    return { when, calls: [only] }
  }
  if (Object.keys(only).length > 0) context.addIssue("beside 'calls' an entry has only 'when'")
  return { when, calls }
})

const entries = z.record(text, z.array(entry).min(1))

export const scriptSchema = strict({
  name: text.optional(),
  roles: entries.optional(),
  steps: entries.optional(),
  defaults: strict({ delay: duration.optional() }).optional(),
}).refine(
  ({ roles = {}, steps = {} }) => Object.keys(roles).length + Object.keys(steps).length > 0,
  "a script has at least one role under 'roles', or one step under 'steps'",
)

export type Call = z.infer<typeof call>
export type Script = z.infer<typeof scriptSchema>

function strict<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined
      return `unknown key '${issue.keys.join("', '")}', allowed are ${Object.keys(shape).join(', ')}`
    },
  })
}

function refuseMissingAnswer(keys: z.infer<z.ZodObject<typeof callKeys>>, context: z.RefinementCtx): void {
  if (keys.answer !== undefined) return
  if (keys.as !== undefined) context.addIssue({ code: 'custom', path: ['as'], message: "needs an 'answer'" })
  if (keys.ends?.type === 'partial') {
    context.addIssue({ code: 'custom', path: ['ends'], message: "'partial' needs an 'answer'" })
  }
}
