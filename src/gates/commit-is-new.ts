import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'

/** Whole or short, as git prints it or in capitals. Seven characters, since fewer would match by chance. */
const hash = /^[0-9a-f]{7,64}$/i

/**
 * The commits are those that came in through the import gate: on the task branch, and not there before the step. A
 * claimed hash has to be one of them, so that a tree, a blob, an old commit or one on no branch is a wrong claim.
 */
export function commitIsNew({ answer, commits, changes, byHand }: GateFacts): Judgement {
  // Whoever mended it by hand has left the agent nothing to commit.
  if (byHand && commits.length === 0) return met('changes made by hand were taken over')
  if (commits.length === 0) return unmet('no commit was made in this step')
  if (changes === 0) return unmet('the commits of this step change nothing')
  const claimed = answer['commit_hash']
  if (claimed === undefined) return met(`${commits.length} new on the task branch`)
  if (typeof claimed !== 'string' || !hash.test(claimed)) {
    return unmet(`${JSON.stringify(claimed).slice(0, 100)} is no commit hash`)
  }
  const [found, another] = commits.filter((id) => id.startsWith(claimed.toLowerCase()))
  if (found === undefined)
    return unmet(`commit ${claimed} is not among the ${commits.length} commits made in this step`)
  if (another !== undefined) return unmet(`${claimed} could be more than one of this step's commits`)
  return met(`${found.slice(0, 12)} is on the task branch and was made in this step`)
}
