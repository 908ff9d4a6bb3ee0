import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { personVerbs } from '../model/durable.ts'
import type { PersonVerb } from '../model/durable.ts'

/** What somebody elsewhere says to a run. */
export interface SignedMessage {
  readonly run: string
  readonly verb: PersonVerb
  readonly text: string
}

/** A request as it came in. */
export interface Letter {
  /** Seconds since 1970, when it was signed. */
  readonly timestamp: string
  /** `sha256=<hex>` over `<timestamp>.<body>`. */
  readonly signature: string
  readonly body: string
}

export type Opened =
  | { readonly type: 'message'; readonly message: SignedMessage }
  | { readonly type: 'refused'; readonly why: 'signature' | 'late' | 'form' }

/** Longer ago, or further ahead, and a letter is no longer believed: somebody may have kept it. */
export const longestAgeMs = 5 * 60_000

const bodySchema = z.strictObject({
  run: z.string().regex(/^\d{1,9}$/),
  verb: z.enum(personVerbs),
  text: z.string().max(20_000).default(''),
})

/** Nothing of a letter is read before its signature is. */
export function openLetter({ timestamp, signature, body }: Letter, secret: string, nowMs: number): Opened {
  if (!isSame(signature, signatureOf({ timestamp, body }, secret)))
    return { type: 'refused', why: 'signature' }
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1000) > longestAgeMs)
    return { type: 'refused', why: 'late' }
  const read = bodySchema.safeParse(parsed(body))
  return read.success ? { type: 'message', message: read.data } : { type: 'refused', why: 'form' }
}

export function signatureOf({ timestamp, body }: Pick<Letter, 'timestamp' | 'body'>, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}

/** Takes as long for a wrong first letter as for a wrong last one: both are hashed to one length first. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
