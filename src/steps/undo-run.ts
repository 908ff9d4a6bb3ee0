import { lstat, rename } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { JournalLine } from '../model/event.ts'
import { countUndos, endedSteps, pendingUndo, standingLines, visitsUndone } from '../model/undone.ts'
import type { EndedStep, Undo } from '../model/undone.ts'
import { shellWord } from '../model/shell-word.ts'
import { dropAllPrivateDirs } from '../git/drop-private-dirs.ts'
import { treeOf } from '../git/worktree-tree.ts'
import { moveBranch } from '../git/import.ts'
import { freeName } from '../git/registration.ts'
import { resolveCommit } from '../git/repository.ts'
import { nameSnapshot, restoreTree, snapshotTree } from '../git/restore.ts'
import type { SnapshotNote } from '../git/restore.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'
import { commitUndo, treeToGoBackTo } from '../git/undo-commit.ts'
import { setMessagesAside } from '../journal/inbox.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { stepFolder } from './workplace.ts'

export interface UndoPlan {
  readonly task: TaskWorkspace
  readonly target: EndedStep
  /** Where the base stands now. */
  readonly base: string | undefined
  readonly lines: readonly JournalLine[]
}

/**
 * Everything that an undo needs, and nothing that it changes: what stands in the worktree is kept, and the commit
 * is in the main repository. It happens with the line in the journal; `settleUndo` then brings the world after it.
 */
export async function prepareUndo({ task, target, base, lines }: UndoPlan): Promise<Undo> {
  const from = await resolveCommit(task.repo, `refs/heads/${task.branch}`)
  if (from === undefined) throw noBranch(task, target)
  const gone = await treeToGoBackTo(task, { from, back: target.commit, base })
  if (gone.type === 'conflict') throw inConflict(task, target, gone.paths)
  // The newest line's time: the same until the undo itself is written down.
  const at = lines.at(-1)?.ts ?? ''
  const note = noteOf(target.key, at)
  const snapshot = (await snapshotTree(task, note)) ?? (await nameSnapshot(task, from))
  const message = undoMessage(task, target, { lines, snapshot: snapshot.ref })
  const commit = await commitUndo(task, { ...gone, from, message, date: at })
  const { key: to, step, visit, after } = target
  return { to, step, visit, from, commit, tree: gone.tree, snapshot: snapshot.ref, after, at }
}

function noteOf(to: string, date: string): SnapshotNote {
  return { message: `The worktree before the undo to ${to}\n`, date }
}

/** Says what was undone, for people who read the log. */
function undoMessage(
  task: TaskWorkspace,
  target: EndedStep,
  { lines, snapshot }: { readonly lines: readonly JournalLine[]; readonly snapshot: string },
): string {
  const ended = endedSteps(standingLines(lines))
  const undone = ended.slice(ended.findLastIndex(({ key }) => key === target.key) + 1).map(({ key }) => key)
  const shown = [...undone.slice(0, 20), ...(undone.length > 20 ? ['...'] : [])].join(', ')
  return [
    `Undo: back to the end of ${target.key}`,
    '',
    ...(undone.length === 0 ? [] : [`Undone: ${shown}`]),
    `What was there is kept as ${snapshot}.`,
    '',
    `Baton-Run: ${task.run}`,
    `Baton-Undo: ${target.key}`,
    '',
  ].join('\n')
}

/** Brings branch, worktree and folders after a recorded undo. May be cut short, and done again. */
export async function settleUndo(
  task: TaskWorkspace,
  folder: RunFolder,
  lines: readonly JournalLine[],
): Promise<void> {
  const undo = pendingUndo(lines)
  const name = `undone-${countUndos(lines)}`
  // What a person changes in the worktree afterwards must not be put back once more.
  const done = join(task.stateDir, 'settled-undo')
  if (undo === undefined || (await readTextIfPresent(done)) === name) return
  await dropAllPrivateDirs(task)
  await settleBranch(task, undo)
  for (const visit of visitsUndone(lines)) await setFolderAside(folder, visit, join(folder.steps, name))
  await setMessagesAside(folder.inbox, join(folder.inbox, name))
  await writeFileAtomic(done, name)
}

/** Nobody has touched branch or worktree since. */
export async function standsThere(task: TaskWorkspace, { commit, tree }: Undo): Promise<boolean> {
  const tip = await resolveCommit(task.repo, `refs/heads/${task.branch}`)
  return tip === commit && (await treeOf(task)) === tree
}

/** What a person has done since is not ours to put back: the next step takes it over. */
async function settleBranch(task: TaskWorkspace, undo: Undo): Promise<void> {
  const tip = await resolveCommit(task.repo, `refs/heads/${task.branch}`)
  if (tip !== undo.from) return
  await restoreTree(task, { to: undo.tree, ...noteOf(undo.to, undo.at) })
  const moved = await moveBranch(task, { from: undo.from, to: undo.commit })
  if (moved.type === 'moved') throw movedMeanwhile(task, moved.found ?? 'nothing', undo.commit)
}

/** An old answer must not be taken for that of the visit that comes in its place. */
async function setFolderAside(folder: RunFolder, visit: string, aside: string): Promise<void> {
  const from = stepFolder(folder, visit)
  if ((await unlessMissing(lstat(from))) === undefined) return
  const to = await freeName(join(aside, relative(folder.steps, from)))
  await ensureDirectory(dirname(to))
  await rename(from, to)
}

function noBranch(task: TaskWorkspace, { commit }: EndedStep): FailureError {
  return new FailureError({
    code: 'branch.missing',
    message: `The branch ${task.branch} was deleted.`,
    next: `git branch ${shellWord(task.branch)} ${commit}  (then undo again)`,
    exitCode: exitCodes.waiting,
  })
}

function inConflict(task: TaskWorkspace, { key, commit }: EndedStep, paths: readonly string[]): FailureError {
  const named = paths.slice(0, 5).join(', ')
  return new FailureError({
    code: 'undo.conflict',
    message: `The end of ${key} and what was merged from the base since contradict each other in ${named}: nothing was changed.`,
    next: `baton undo ${task.run}   (choose a step after the merge; the files themselves: git show ${commit.slice(0, 12)})`,
  })
}

function movedMeanwhile(task: TaskWorkspace, found: string, commit: string): FailureError {
  return new FailureError({
    code: 'branch.diverged',
    message: `The branch ${task.branch} was moved to ${found} while it was being put back to ${commit}.`,
    next: `git -C ${shellWord(task.worktree)} status  (merge the two, then: baton resume ${task.run})`,
    exitCode: exitCodes.waiting,
  })
}
