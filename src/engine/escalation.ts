import type { Level } from '../model/supervision.ts'

/** What a level is chosen by: the newest judgement, and how things went up to it. */
export interface Situation {
  /** Undefined where nobody gave a score: the engine found a condition unmet by itself. */
  readonly score?: number
  /** Judgements in a row that did not meet their gate (C-51). */
  readonly issues: number
  readonly items: { readonly total: number; readonly failed: number }
}

/** The most severe level that matches, by score, by issues in a row or by failed items; else the mildest. Pure. */
export function levelFor(levels: readonly Level[], situation: Situation): Level | undefined {
  const byScore = levels.findIndex(
    ({ score }) => score !== undefined && situation.score !== undefined && situation.score >= score,
  )
  const byCount = levels.findLastIndex((level) => byIssues(level, situation) || byItems(level, situation))
  return levels[Math.max(0, byScore, byCount)]
}

function byIssues({ issues }: Level, situation: Situation): boolean {
  return issues !== undefined && situation.issues >= issues
}

function byItems({ failedItems }: Level, { items }: Situation): boolean {
  return failedItems !== undefined && items.failed > mostFailed(failedItems, items.total)
}

/** As many as `max` or the share, whichever is smaller, but one in any case (C-55). */
function mostFailed({ max, share }: { max: number; share: number }, total: number): number {
  return Math.max(1, Math.min(max, Math.floor(total * share)))
}

/** A gate that is met ends a row of issues; nobody having been there neither ends it nor adds to it. */
export function countIssues(issues: number, verdict: 'met' | 'unmet' | 'inconclusive'): number {
  if (verdict === 'inconclusive') return issues
  return verdict === 'met' ? 0 : issues + 1
}
