// The git directory through which the engine works in a task's worktree: its own, out of the agents' reach.
import { join } from 'node:path'
import { readTextIfPresent } from '../platform/files.ts'
import { rm } from '../platform/quick-files.ts'
import { together } from '../platform/together.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { leaveUntouched } from './byte-for-byte.ts'
import { fillIn } from './fill-in.ts'
import { writeGitDir } from './git-dir.ts'
import { gitText } from './host-git.ts'
import { publishIndex } from './publish-index.ts'
import type { Registered } from './registration.ts'
import type { Repository } from './repository.ts'

export function engineDirOf({ stateDir }: Pick<Registered, 'stateDir'>): string {
  return join(stateDir, 'engine')
}

interface Task extends Registered {
  readonly repo: Repository
  readonly branch: string
}

/** Made anew, with the branch in its index and, if `how` (for `read-tree`) says so, in the worktree. */
export async function equipEngineDir(
  task: Task,
  excludes: readonly string[],
  how: readonly string[],
): Promise<void> {
  const { repo, branch, engineDir, worktree } = task
  const [tip] = await together([
    gitText(['rev-parse', `refs/heads/${branch}`], { gitDir: repo.gitDir }),
    writeEngineDir(task, excludes),
  ])
  await fillIn(repo, [tip])
  await gitInAgentSpace(['read-tree', ...how, tip], { gitDir: engineDir, workTree: worktree })
  // Only what was checked out just now is known to be untouched.
  if (how.includes('-u')) await leaveUntouched(task)
  await publishIndex(task, { to: tip })
}

async function writeEngineDir(task: Task, excludes: readonly string[]): Promise<void> {
  const { repo, branch, engineDir, registration } = task
  await rm(engineDir, { recursive: true, force: true })
  await writeGitDir(repo, {
    path: engineDir,
    branch,
    excludes: await excludesText(repo, excludes),
    attributes: await attributesText(repo),
    sparseFrom: registration,
  })
}

/** Later patterns win, so ours come last. */
async function excludesText(repo: Repository, ours: readonly string[]): Promise<string> {
  const own = (await readTextIfPresent(join(repo.gitDir, 'info', 'exclude'))) ?? ''
  return [repo.excludes, own, ...ours, ''].join('\n')
}

/** The user's own; and a tree that is kept as an archive is kept whole. */
export async function attributesText(repo: Repository): Promise<string> {
  const own = (await readTextIfPresent(join(repo.gitDir, 'info', 'attributes'))) ?? ''
  return `${own}\n* -export-ignore -export-subst\n`
}
