import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { unlessMissing } from '../platform/errno.ts'
import { lstat } from '../platform/quick-files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { commitTree, engineAuthor } from './commit.ts'
import { changedPaths, onWorktree, treeOf } from './facts.ts'
import { gitText } from './host-git.ts'
import { createRef, nextSnapshotRef } from './import.ts'
import { receive, release } from './quarantine.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface Snapshot {
  readonly ref: string
  readonly commit: string
}

export interface SnapshotNote {
  readonly message: string
  /** ISO 8601, from the journal. */
  readonly date: string
}

/** The whole tree, untracked files too, as a commit upon the task branch; undefined if it adds nothing to that. */
export async function snapshotTree(task: TaskWorkspace, note: SnapshotNote): Promise<Snapshot | undefined> {
  return keepTree(task, await treeOf(task), note)
}

export interface Restoration extends SnapshotNote {
  /** A commit or a tree. */
  readonly to: string
}

/** Makes the worktree equal to a tree; ignored files stay. What was there before is kept as a snapshot. */
export async function restoreTree(
  task: TaskWorkspace,
  restoration: Restoration,
): Promise<Snapshot | undefined> {
  const target = await gitText(['rev-parse', `${restoration.to}^{tree}`], { gitDir: task.engineDir })
  const found = await treeOf(task)
  if (found === target) return undefined
  const tree = (await addFilesInTheWay(task, found, target)) ? await writeTree(task) : found
  const snapshot = await keepTree(task, tree, restoration)
  // Two trees: git refuses if a file was changed after the first of them was written.
  await gitInAgentSpace(['read-tree', '-m', '-u', tree, target], onWorktree(task))
  return snapshot
}

/** An ignored file where the target has a file would be in git's way, and must not be lost either. */
async function addFilesInTheWay(task: TaskWorkspace, found: string, target: string): Promise<boolean> {
  const inTheWay: string[] = []
  for (const { path, change } of await changedPaths(task, found, target)) {
    if (change !== 'added') continue
    const entry = await unlessMissing(lstat(join(task.worktree, path)))
    if (entry?.isFile() === true || entry?.isSymbolicLink() === true) inTheWay.push(path)
  }
  if (inTheWay.length === 0) return false
  await gitInAgentSpace(['update-index', '--add', '-z', '--stdin'], {
    ...onWorktree(task),
    input: inTheWay.map((path) => `${path}\0`).join(''),
  })
  return true
}

async function writeTree(task: TaskWorkspace): Promise<string> {
  const { stdout } = await gitInAgentSpace(['write-tree'], onWorktree(task))
  return stdout.toString().trim()
}

async function keepTree(
  task: TaskWorkspace,
  tree: string,
  note: SnapshotNote,
): Promise<Snapshot | undefined> {
  const branch = `refs/heads/${task.branch}`
  const tips = await gitText(['rev-parse', branch, `${branch}^{tree}`], { gitDir: task.repo.gitDir })
  const [tip = '', tipTree] = tips.split('\n')
  if (tree === tipTree) return undefined
  const commit = await commitTree(task, { tree, parents: [tip], author: engineAuthor, ...note })
  const received = await receive(task, { from: task.engineDir, tips: [commit], known: [tip] })
  if (received.type === 'refused') {
    throw new FailureError({
      code: 'snapshot.refused',
      message: `The worktree ${task.worktree} cannot be kept as a snapshot: ${received.reason}`,
      next: `Look into ${task.worktree}, move away what is named here, then resume`,
      exitCode: exitCodes.waiting,
    })
  }
  await release(task, received.quarantine, [commit])
  const ref = await nextSnapshotRef(task)
  await createRef(task, ref, commit)
  return { ref, commit }
}
