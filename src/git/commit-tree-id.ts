import { gitText } from './host-git.ts'
import type { Repository } from './repository.ts'

/** The newest of them: a step asks for the one that it began with, which is the last one's end. */
const known = new Map<string, Promise<string>>()
const mostKnown = 50

/** The tree of a commit of the main repository. It never changes, so it can be asked for before it is needed. */
export function treeIdOf({ gitDir }: Repository, commit: string): Promise<string> {
  const key = `${gitDir} ${commit}`
  const before = known.get(key)
  if (before) return before
  const asked = gitText(['rev-parse', `${commit}^{tree}`], { gitDir })
  if (known.size >= mostKnown) known.clear()
  known.set(key, asked)
  // A failure is told to whoever waits for it, and is no answer for the next one.
  asked.catch(() => known.delete(key))
  return asked
}
