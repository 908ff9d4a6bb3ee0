import { join } from 'node:path'
import { gitInAgentSpace } from './agent-space.ts'
import { commitTree, engineAuthor } from './commit.ts'
import { changedPaths, treeOf } from './facts.ts'
import { gitText } from './host-git.ts'
import { addWhatIsInTheWay } from './in-the-way.ts'
import { createRef, nextSnapshotRef } from './import.ts'
import { setNestedAside } from './nested-aside.ts'
import { receive, release } from './quarantine.ts'
import { onWorktree } from './on-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface Snapshot {
  /** Under refs/baton/, or the path of a tar file where the main repository must not have such a tree. */
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
  const changes = await changedPaths(task, found, target)
  const tree = (await addWhatIsInTheWay(task, changes)) ? await writeTree(task) : found
  const snapshot = await keepTree(task, tree, restoration)
  // Two trees: git refuses if a file was changed after the first of them was written.
  await gitInAgentSpace(['read-tree', '-m', '-u', tree, target], onWorktree(task))
  await setNestedAside(task, changes)
  return snapshot
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
  if (received.type === 'refused') return { ref: await keepAsTar(task, commit), commit }
  await release(task, received.quarantine, [commit])
  const ref = await nextSnapshotRef(task)
  await createRef(task, ref, commit)
  return { ref, commit }
}

/** What may not enter the main repository, such as a hostile .gitmodules, is kept outside of git. */
async function keepAsTar(task: TaskWorkspace, commit: string): Promise<string> {
  const file = join(task.stateDir, `snapshot-${commit.slice(0, 12)}.tar`)
  await gitInAgentSpace(['archive', '--format=tar', `--output=${file}`, commit], { gitDir: task.engineDir })
  return file
}
