import type { AgentError } from '../model/agent.ts'
import type { JsonObject } from '../model/json.ts'
import type { GateReport } from '../model/step-result.ts'
import type { Usage } from '../model/usage.ts'
import type { Role } from '../model/workflow.ts'
import { artifactWritten, withinScope } from '../gates/always.ts'

/** What came of one call of an agent, who played, and what it used. */
export type CallResult = CallOutcome & {
  readonly by?: { readonly provider: string; readonly model?: string }
  readonly usage?: Usage
}

type CallOutcome =
  | {
      readonly type: 'answered'
      readonly answer: JsonObject
      readonly facts: CallFacts
      /** Quotes or commas of the answer had to be put right before it was JSON (C-04). */
      readonly repaired?: true
    }
  | {
      readonly type: 'invalid'
      readonly problem: string
      /** Artifacts that were not written, where that is the problem. */
      readonly missing?: readonly string[]
    }
  | { readonly type: 'out_of_scope'; readonly paths: readonly string[]; readonly snapshot: string }
  | {
      readonly type: 'error'
      readonly error: AgentError
      readonly detail: string
      /** When the provider will take calls again, in milliseconds since 1970. */
      readonly resetsAt?: number
    }

/** What the engine found in the worktree after the call; never what the agent said about it. */
export type CallFacts = {
  readonly tree: string
  /** Tip of the agent's own branch in its private git directory. */
  readonly tip: string
  readonly changed: number
  readonly written: readonly string[]
}

export type NextCall =
  | { readonly type: 'done'; readonly result: CallResult & { type: 'answered' } }
  | { readonly type: 'repair'; readonly problem: string }
  | { readonly type: 'retry'; readonly afterMs: number; readonly error: AgentError; readonly detail: string }
  | {
      /** Somebody else plays, or everybody waits. */
      readonly type: 'quota'
      readonly provider: string
      readonly detail: string
      readonly resetsAt?: number
    }
  | {
      readonly type: 'give_up'
      readonly reason: string
      readonly label: string
      readonly outcome: 'failed'
      /** The condition of every step that was not met, where one is the reason. */
      readonly gate?: GateReport
    }

/** After the calls so far: use the answer, quote the error back, try again later, or give up. Pure. */
export function nextCall(history: readonly CallResult[], role: Pick<Role, 'repair' | 'retry'>): NextCall {
  const last = history.at(-1)
  if (!last) return { type: 'retry', afterMs: 0, error: 'crash', detail: 'nothing was tried yet' }
  switch (last.type) {
    case 'answered':
      return { type: 'done', result: last }
    case 'out_of_scope':
      return {
        ...giveUp(
          'scope',
          `changed what it may not change: ${listed(last.paths)}; undone, kept as ${last.snapshot}`,
        ),
        gate: withinScope({ changed: last.paths.length, outside: last.paths }),
      }
    case 'invalid': {
      const repairs = history.filter(({ type }) => type === 'invalid').length
      if (repairs <= role.repair) return { type: 'repair', problem: last.problem }
      const gate = artifactWritten({ written: [], filed: [], missing: last.missing ?? [] })
      const given = giveUp('invalid', `no valid answer after ${history.length} calls: ${last.problem}`)
      return gate ? { ...given, gate } : given
    }
    case 'error':
      return afterError(history, role, last)
  }
}

const finalErrors: ReadonlySet<AgentError> = new Set(['not_found', 'auth', 'context', 'refused', 'time'])

/**
 * Trying again helps against an accident, not against a missing command or a step whose time is used up. A quota
 * that is used up is no failure of the agent: it counts as no attempt, and trying again at once helps nobody.
 */
function afterError(
  history: readonly CallResult[],
  { retry }: Pick<Role, 'retry'>,
  last: CallResult & { type: 'error' },
): NextCall {
  if (last.error === 'quota') return afterQuota(history, last)
  const failures = history.filter((call) => call.type === 'error' && call.error !== 'quota').length
  if (finalErrors.has(last.error) || failures >= retry.maxAttempts) {
    const times = failures === 1 ? '' : ` (${failures} times)`
    return giveUp(last.error, `${last.detail}${times}`)
  }
  return {
    type: 'retry',
    afterMs: Math.round(retry.delayMs * retry.backoff ** (failures - 1)),
    error: last.error,
    detail: last.detail,
  }
}

/** A service that names one time after the other and never takes the call is not waited for without an end. */
const mostQuotas = 10

function afterQuota(history: readonly CallResult[], last: CallResult & { type: 'error' }): NextCall {
  const { detail, resetsAt } = last
  const times = history.filter((call) => call.type === 'error' && call.error === 'quota').length
  if (times > mostQuotas) return giveUp('quota', `${detail} (${times} times)`)
  const provider = last.by?.provider ?? ''
  return { type: 'quota', provider, detail, ...(resetsAt === undefined ? {} : { resetsAt }) }
}

function giveUp(label: string, reason: string): NextCall & { type: 'give_up' } {
  return { type: 'give_up', reason, label, outcome: 'failed' }
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => `'${path}'`)
  return paths.length > 5 ? `${shown.join(', ')} and ${paths.length - 5} more` : shown.join(', ')
}
