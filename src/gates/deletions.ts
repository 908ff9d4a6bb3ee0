import type { JsonObject } from '../model/json.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, planOf, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'
import { mentions, readPlan } from './plan-text.ts'

/**
 * Of the whole branch, not of the step alone: what an earlier round has deleted is still deleted. A file that git
 * takes for renamed is not; one of which nothing is left counts as deleted.
 */
export function noUnplannedDeletions(facts: GateFacts, parameters: JsonObject): Judgement {
  const gone = facts.branch.filter(({ change, emptied }) => change === 'deleted' || emptied)
  if (gone.length === 0) return met('nothing was deleted')
  const plan = readPlan(planOf(facts, parameters['no_unplanned_deletions']))
  const unplanned = gone.filter(({ path }) => !mentions(plan, path))
  if (unplanned.length === 0) return met(`planned: ${listed(gone.map(({ path }) => path))}`)
  const names = unplanned.map(({ path, emptied }) => (emptied ? `${path} (emptied)` : path))
  return unmet(
    `${counted(unplanned.length, 'file')} deleted that the plan does not name: ${listed(names)}. Bring back what was not meant to go`,
  )
}
