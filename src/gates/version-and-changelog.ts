import type { BranchChange, GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { listed } from './listed.ts'

const version = /^version(?:\.txt)?$/i
const changelog = /^(?:changelog|changes|history)(?:\.(?:md|txt|rst))?$/i

/** Where the base has them at its top (R001-114). One changed file of a kind is enough. */
export function versionAndChangelog({ branch, baseNames }: GateFacts): Judgement {
  const wanted = [version, changelog]
    .map((kind) => baseNames.filter((name) => kind.test(name)))
    .filter((names) => names.length > 0)
  if (wanted.length === 0) return met('the project has neither')
  const unchanged = wanted.filter((names) => !names.some((name) => isUpdated(branch, name)))
  if (unchanged.length === 0) return met(`changed on the branch: ${listed(wanted.flat())}`)
  return unmet(`not changed on the branch: ${listed(unchanged.flat())}`)
}

/** Deleted or emptied is changed, but not brought up to date, and neither is what has its old content. */
function isUpdated(branch: readonly BranchChange[], name: string): boolean {
  return branch.some(
    ({ path, from, change, emptied }) =>
      (path === name || from === name) && !['deleted', 'moved', 'mode'].includes(change) && !emptied,
  )
}
