import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { git } from './host-git.ts'
import type { Registered } from './registration.ts'

/** Files that a person's index says to leave alone, by the flag that does: a sparse checkout's own are not meant. */
export async function flaggedFiles({ engineDir, registration }: Registered): Promise<Map<string, string>> {
  const [theirs, ours] = await Promise.all([
    flagsIn(engineDir, join(registration, 'index')),
    flagsIn(engineDir, join(engineDir, 'index')),
  ])
  return new Map([...theirs].filter(([path]) => !ours.has(path)))
}

/** From lines such as `h path`: small letters for one of the flags, S for the other. */
async function flagsIn(gitDir: string, indexFile: string): Promise<Map<string, string>> {
  const { code, stdout } = await git(['ls-files', '-v', '-z'], { gitDir, indexFile, allowFailure: true })
  const lines = code === 0 ? stdout.toString().split('\0') : []
  return new Map(
    lines.flatMap((line) => {
      const flag = line.startsWith('S') ? 'skip-worktree' : 'assume-unchanged'
      return /^[Sa-z] /.test(line) ? [[line.slice(2), flag] as const] : []
    }),
  )
}

/**
 * A change to such a file is nobody's to commit, and a step could not do without: what an agent does in the worktree
 * is told by what has changed there, whatever an index says. So the person decides.
 */
export async function requireUnflagged(
  task: Registered & { readonly run: string },
  tree: string,
): Promise<void> {
  const flagged = await flaggedFiles(task)
  if (flagged.size === 0) return
  const { engineDir, registration, worktree, run } = task
  const { stdout } = await git(['diff-index', '--cached', '--name-only', '-z', '--no-renames', tree, '--'], {
    ...{ gitDir: engineDir, indexFile: join(registration, 'index'), allowFailure: true },
  })
  const path = stdout
    .toString()
    .split('\0')
    .find((name) => flagged.has(name))
  if (path === undefined) return
  const flag = flagged.get(path) ?? ''
  throw new FailureError({
    code: 'worktree.flagged',
    message: `${path} in ${worktree} is not as in the branch, and git was told not to look at it (${flag}): the next step would commit it`,
    next: `git -C ${shellWord(worktree)} update-index --no-${flag} ${shellWord(path)}  (then it is committed; or make it as it was), then: baton resume ${run}`,
    exitCode: exitCodes.waiting,
  })
}
