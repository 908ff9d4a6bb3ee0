import type { JsonObject } from '../model/json.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'

export function scoreIsHigh({ answer }: GateFacts, parameters: JsonObject): Judgement {
  const score = answer['score']
  const least = Number(parameters['score'] ?? 0)
  if (score === undefined) {
    return parameters['if_present'] === true ? met('no score was given') : unmet('the answer has no score')
  }
  if (typeof score !== 'number') return unmet(`${JSON.stringify(score).slice(0, 100)} is no score`)
  return score >= least
    ? met(`score ${score} of at least ${least}`)
    : unmet(`score ${score}, at least ${least} is needed`)
}
