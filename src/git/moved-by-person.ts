import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { takeWhatWasCommittedHere } from './committed-here.ts'
import { isAncestor } from './facts.ts'
import { treeOf } from './worktree-tree.ts'
import { firstComplaint } from './host-git.ts'
import { requireWhole } from './narrowed.ts'
import { catchUp, publishIndex } from './publish-index.ts'
import { onWorktree } from './on-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'
import { requireFinished } from './unfinished.ts'

export type Sync =
  | { readonly type: 'same' }
  /** A person has committed; worktree and engine stand at `tip` now. */
  | { readonly type: 'forward'; readonly tip: string }

/** Before a step: has somebody moved the task branch since we last knew it? */
export async function syncWithPerson(
  task: TaskWorkspace,
  { lastKnown, tip }: { readonly lastKnown: string; readonly tip: string | undefined },
): Promise<Sync> {
  await requireFinished(task)
  await requireBranch(task)
  await requireWhole(task)
  if (tip === lastKnown) {
    await catchUp(task, tip)
    return { type: 'same' }
  }
  if (tip === undefined) {
    throw new FailureError({
      code: 'branch.missing',
      message: `The branch ${task.branch} was deleted; Baton knew it at ${lastKnown}`,
      next: `git branch ${shellWord(task.branch)} ${lastKnown}  (then resume)`,
      exitCode: exitCodes.waiting,
    })
  }
  if (!(await isAncestor(task.repo, lastKnown, tip))) throw diverged(task, lastKnown, tip)
  await bringAlong(task, lastKnown, tip)
  return { type: 'forward', tip }
}

/** With another branch checked out, its files would be taken for a change to this one. */
async function requireBranch({ registration, branch, worktree, run }: TaskWorkspace): Promise<void> {
  const head = (await readTextIfPresent(join(registration, 'HEAD')))?.trim()
  if (head === undefined || head === `ref: refs/heads/${branch}`) return
  const found = /^ref: refs\/heads\/(.+)$/s.exec(head)?.[1]
  throw new FailureError({
    code: 'worktree.switched',
    message: `${worktree} has ${found === undefined ? 'no branch' : `'${found}'`} checked out instead of ${branch}`,
    next: `git -C ${shellWord(worktree)} switch ${shellWord(branch)} && baton resume ${run}`,
    exitCode: exitCodes.waiting,
  })
}

/** Files that the person's commit brought are usually in the worktree already; git sees that and leaves them. */
async function bringAlong(task: TaskWorkspace, from: string, to: string): Promise<void> {
  await treeOf(task)
  await takeWhatWasCommittedHere(task, from, to)
  const result = await gitInAgentSpace(['read-tree', '-m', '-u', from, to], {
    ...onWorktree(task),
    allowFailure: true,
  })
  if (result.code !== 0) {
    throw new FailureError({
      code: 'worktree.dirty',
      message: `${task.branch} has moved to ${to}, but ${task.worktree} is in the way: ${firstComplaint(result)}`,
      next: `Commit, ignore or remove that file in ${task.worktree}, then resume`,
      exitCode: exitCodes.waiting,
    })
  }
  await publishIndex(task, { from: to, to })
}

function diverged(task: TaskWorkspace, known: string, found: string): FailureError {
  return new FailureError({
    code: 'branch.diverged',
    message: `${task.branch} was rewritten: it is at ${found}, but Baton's last step is ${known}`,
    next: `git -C ${shellWord(task.worktree)} reset --keep ${known}  (keeps Baton's work; then resume)`,
    exitCode: exitCodes.waiting,
  })
}
