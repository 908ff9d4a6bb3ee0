import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import { git } from './host-git.ts'
import { isAsPublished } from './publish-index.ts'
import { resolveCommit } from './repository.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** What git leaves in its directory while a command of that name waits for a person; the first that is there counts. */
const traces = [
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['rebase-merge', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
] as const

/**
 * Half of a merge is no change by hand: its conflict markers would be committed, and of the files in conflict the index
 * that a person then commits to end it would take back what steps have changed meanwhile.
 */
export async function requireFinished(task: TaskWorkspace): Promise<void> {
  const { registration, worktree, run } = task
  const place = `git -C ${shellWord(worktree)}`
  for (const [name, command] of traces) {
    if ((await lstatIfThere(join(registration, name))) === undefined) continue
    if (command === 'rebase') await requireUpToDate(task, name)
    const next = `${place} ${command} --continue  (or --abort), then: baton resume ${run}`
    throw unfinished(`${worktree} is in the middle of a git ${command}`, next)
  }
  // As `git stash pop` leaves it.
  const path = await firstUnmerged(task)
  if (path === undefined) return
  const next = `${place} status  (settle what is not merged, git add it), then: baton resume ${run}`
  throw unfinished(`In ${worktree} there is a conflict to be settled: ${path}`, next)
}

/**
 * A rebase that began before a step was kept cannot be ended, since git finds the branch moved; and to abort it would
 * put the branch back to before the step.
 */
async function requireUpToDate(task: TaskWorkspace, name: string): Promise<void> {
  const { registration, worktree, branch, run, repo } = task
  const told = async (file: string): Promise<string> =>
    (await readTextIfPresent(join(registration, name, file)))?.trim() ?? ''
  const ref = `refs/heads/${branch}`
  const [of, from, tip] = await Promise.all([told('head-name'), told('orig-head'), resolveCommit(repo, ref)])
  if (of !== ref || from === tip) return
  const place = `git -C ${shellWord(worktree)}`
  const next = `${place} rebase --quit && ${place} switch --force ${shellWord(branch)}, then: baton resume ${run}`
  throw unfinished(`${worktree} is in the middle of a git rebase of what ${branch} was before a step`, next)
}

async function firstUnmerged(task: TaskWorkspace): Promise<string | undefined> {
  if (await isAsPublished(task)) return undefined
  const { engineDir, registration } = task
  const { stdout } = await git(['ls-files', '-u', '-z'], {
    ...{ gitDir: engineDir, indexFile: join(registration, 'index'), allowFailure: true },
  })
  return /\t([^\0]*)\0/.exec(stdout.toString())?.[1]
}

function unfinished(message: string, next: string): FailureError {
  return new FailureError({ code: 'worktree.unfinished', message, next, exitCode: exitCodes.waiting })
}
