import type { AgentError, AgentFailure } from '../model/agent.ts'
import { resetTimeIn } from './reset-time.ts'

/** What the tools and their services say, most telling first. Samples of each are in the test beside this. */
const table: readonly (readonly [RegExp, AgentError])[] = [
  [
    /context (?:window|length)|context_length_exceeded|prompt is too long|input token count|maximum context|too many tokens in|request_too_large|request exceeds the maximum size|ran out of room/i,
    'context',
  ],
  [
    /usage limit|quota|rate.?limit|\b429\b|too many requests|resource has been exhausted|RESOURCE_EXHAUSTED|hit your (?:\w+ )?limit|limit reached|credit balance is too low|billing|exceeded retry limit/i,
    'quota',
  ],
  [
    /\b401\b|\b403\b|unauthori[sz]ed|authenticat|invalid (?:x-)?api[ -]?key|api key not valid|not logged in|please run \/login|permission_error|missing environment variable|no auth|auth method|PERMISSION_DENIED/i,
    'auth',
  ],
  [
    /overloaded|\b(?:500|502|503|504|529)\b|internal (?:server )?error|at capacity|high demand|service unavailable|UNAVAILABLE|bad gateway|server_error/i,
    'overloaded',
  ],
  [
    /connection refused|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|fetch failed|stream disconnected|connection error|connection (?:closed|lost)|terminated|network|socket hang up|error sending request/i,
    'crash',
  ],
  [/timed? ?out|ETIMEDOUT/i, 'timeout'],
  [/max(?:imum)?[ _]?(?:session[ _])?turns|turn limit|FatalTurnLimited|max_budget/i, 'refused'],
  [
    /not (?:found|supported)|does not exist|model_not_found|invalid_request|unrecognized|unknown (?:option|argument)/i,
    'refused',
  ],
]

/** The class of a failure by its words; undefined where they say nothing known. */
export function failureIn(message: string, now: number): AgentFailure | undefined {
  const found = table.find(([words]) => words.test(message))
  if (!found) return undefined
  const [, error] = found
  const resetsAt = error === 'quota' ? resetTimeIn(message, now) : undefined
  return { error, message: shortened(message), ...(resetsAt === undefined ? {} : { resetsAt }) }
}

/** What the stream leaves out about the end of a limit may stand among the complaints. */
export function withReset(failure: AgentFailure, complaint: string, now: number): AgentFailure {
  if (failure.error !== 'quota' || failure.resetsAt !== undefined) return failure
  const resetsAt = resetTimeIn(complaint, now)
  return resetsAt === undefined ? failure : { ...failure, resetsAt }
}

/** For people: one line, not a whole dump. */
export function shortened(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 400 ? line : `${line.slice(0, 400)}...`
}
