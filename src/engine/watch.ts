import type { Guidance, ItemCounts } from '../model/step-result.ts'

/** What the supervision remembers over the whole run: made of recorded judgements alone, so a replay makes it again. */
export interface Watch {
  /** Judgements in a row that did not meet their gate. */
  issues: number
  guidance: Guidance | undefined
  items: ItemCounts
  failedSeen: number
  /** Levels that led elsewhere, in order. */
  readonly routed: string[]
  /** Tip of the task branch, as far as steps have told. */
  tip: string
}

export function openWatch(tip: string): Watch {
  return {
    issues: 0,
    guidance: undefined,
    items: { total: 0, ok: 0, failed: [], needed: [] },
    failedSeen: 0,
    routed: [],
    tip,
  }
}
