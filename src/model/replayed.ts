import type { Difference } from './first-difference.ts'

/** What came of playing a run again. */
export interface Replayed {
  readonly run: string
  /** How many calls of agents and steps were gone through. */
  readonly calls: number
  readonly steps: number
  readonly end:
    | { readonly type: 'finished'; readonly outcome: string; readonly reason: string }
    /** All was the same as far as the recording goes. */
    | { readonly type: 'open'; readonly at: string }
    | { readonly type: 'different'; readonly at: string; readonly difference: Difference }
}
