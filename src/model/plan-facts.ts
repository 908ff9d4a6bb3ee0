import type { Json, JsonObject } from './json.ts'
import type { SpentBy } from './usage.ts'

/** A list that a run went through, with its items: a plan, or a sub-plan of one item. */
export interface PlanFacts {
  /** Key of the visit of the `each`. */
  readonly id: string
  readonly step: string
  readonly depth: number
  /** Key of the item that it was made for. */
  readonly parentItem: string
  readonly about: JsonObject
  readonly maxAttempts: Json
  readonly items: ItemFacts[]
  isOver: boolean
}

export interface ItemFacts {
  /** Unique in the run. */
  readonly key: string
  readonly id: string
  readonly value: Json
  readonly dependsOn: readonly string[]
  /** Empty until it has ended. */
  outcome: string
  isStarted: boolean
  attempts: number
  reason: string
  isUnverified: boolean
  /** Newest answer of each step inside it; of a `verify` step, the judgement. */
  readonly answers: Map<string, JsonObject>
  /** The newest judgement by each gate. */
  readonly scores: Map<string, { readonly verdict: string; readonly score: number | undefined }>
  readonly plans: PlanFacts[]
}

/** What a run with lists has come to, in general words: who shows it chooses the names. */
export interface GoalFacts {
  readonly plans: PlanFacts[]
  readonly counts: Map<string, number>
  /** Newest answer and number of answers and failures, by role. */
  readonly roles: Map<string, { last: JsonObject | undefined; answers: number; failures: number }>
  /** The workflow's own events, newest last; not more than `mostEvents`. */
  readonly events: {
    readonly id: string
    readonly ts: string
    readonly type: string
    readonly role: string
    readonly data: JsonObject
  }[]
  readonly degraded: { readonly step: string; readonly key: string }[]
  /** What was judged outside of any item, such as plans and the goal, in order; not more than `mostEvents`. */
  readonly judged: { readonly gate: string; readonly verdict: string; readonly score: number | undefined }[]
  /** Time of each phase, in milliseconds. */
  readonly phases: Map<string, number>
  /** What agents have used, also in what was undone since. */
  spending: readonly SpentBy[]
  currentStep: string
  currentRole: string
  /** Label, or else outcome, of the run's end; empty while it has none. */
  end: string
  outcome: string
  reason: string
  startedAt: number
  endedAt: number | undefined
  timeLimitMs: number | undefined
  inputs: JsonObject
  run: string
  branch: string
  base: string
}

/** Histories are bounded: a run may go on for days. */
export const mostEvents = 200

export function nothingOf(): GoalFacts {
  return {
    ...{
      plans: [],
      counts: new Map(),
      roles: new Map(),
      events: [],
      degraded: [],
      judged: [],
      phases: new Map(),
    },
    ...{
      currentStep: '',
      currentRole: '',
      end: '',
      outcome: '',
      reason: '',
      startedAt: 0,
      endedAt: undefined,
      spending: [],
    },
    ...{ timeLimitMs: undefined, inputs: {}, run: '', branch: '', base: '' },
  }
}
