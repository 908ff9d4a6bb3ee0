import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'

export function noConflictMarkers({ markers }: GateFacts): Judgement {
  return markers.length === 0
    ? met('none left')
    : unmet(`conflict markers are left at ${markers.slice(0, 10).join(', ')}`)
}

export function mergeCommit({ merged }: GateFacts): Judgement {
  return merged === true ? met('the base is part of the branch') : unmet('the merge was not committed')
}
