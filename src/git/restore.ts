import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { rename } from '../platform/quick-files.ts'
import { together } from '../platform/together.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { commitTree, engineAuthor } from './commit.ts'
import { treeIdOf } from './commit-tree-id.ts'
import { changedPaths } from './facts.ts'
import { treeOf } from './worktree-tree.ts'
import { gitText } from './host-git.ts'
import { addWhatIsInTheWay } from './in-the-way.ts'
import { createRef, nextSnapshotRef } from './import.ts'
import { setNestedAside } from './nested-aside.ts'
import { receive, release } from './quarantine.ts'
import { resolveCommit } from './repository.ts'
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
  /** The visit that it was made in, as `code#2`: a trailer of the commit. */
  readonly step?: string
}

/** The whole tree, untracked files too, as a commit upon the task branch; undefined if it adds nothing to that. */
export async function snapshotTree(task: TaskWorkspace, note: SnapshotNote): Promise<Snapshot | undefined> {
  const [tree, upon] = await together([treeOf(task), newestOf(task)])
  return keepTree(task, { tree, upon }, note)
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
  const [target, found] = await together([
    gitText(['rev-parse', `${restoration.to}^{tree}`], { gitDir: task.engineDir }),
    treeOf(task),
  ])
  if (found === target) return undefined
  const [changes, upon] = await together([changedPaths(task, found, target), newestOf(task)])
  const tree = (await addWhatIsInTheWay(task, changes)) ? await writeTree(task) : found
  const snapshot = await keepTree(task, { tree, upon }, restoration)
  // Two trees: git refuses if a file was changed after the first of them was written.
  await gitInAgentSpace(['read-tree', '-m', '-u', tree, target], onWorktree(task))
  await setNestedAside(task, changes)
  return snapshot
}

async function writeTree(task: TaskWorkspace): Promise<string> {
  const { stdout } = await gitInAgentSpace(['write-tree'], onWorktree(task))
  return stdout.toString().trim()
}

interface Found {
  readonly tree: string
  readonly upon: Newest
}

async function keepTree(
  task: TaskWorkspace,
  found: Found,
  note: SnapshotNote,
): Promise<Snapshot | undefined> {
  if (found.tree === found.upon.tree) return undefined
  const commit = await commitUpon(task, found, note)
  const [refused, ref] = await together([
    bringOver(task, commit, found.upon.tip),
    snapshotRefFor(task, commit),
  ])
  if (refused !== undefined) return { ref: await keepAsTar(task, commit), commit }
  await createRef(task, ref, commit)
  return { ref, commit }
}

/** Under a number of its own, also where nothing is new: for what is about to be removed. */
export async function snapshotForRemoval(task: TaskWorkspace, note: SnapshotNote): Promise<Snapshot> {
  const [tree, upon] = await together([treeOf(task), newestOf(task)])
  const isNew = tree !== upon.tree
  const commit = isNew ? await commitUpon(task, { tree, upon }, note) : upon.tip
  const refused = isNew ? await bringOver(task, commit, upon.tip) : undefined
  if (refused !== undefined) throw cannotBeKept(task, refused)
  const ref = await nextSnapshotRef(task)
  await createRef(task, ref, commit)
  return { ref, commit }
}

interface Newest {
  readonly tip: string
  readonly tree: string
}

/** What is kept already: a snapshot of the same would add nothing. */
async function newestOf(task: TaskWorkspace): Promise<Newest> {
  const tip = await lastTip(task)
  return { tip, tree: await treeIdOf(task.repo, tip) }
}

function commitUpon(task: TaskWorkspace, { tree, upon }: Found, note: SnapshotNote): Promise<string> {
  const message = note.step === undefined ? note.message : `${note.message}\nBaton-Step: ${note.step}\n`
  const { date } = note
  return commitTree(task, { tree, parents: [upon.tip], author: engineAuthor, message, date })
}

/** Into the main repository, or why it may not be there. */
async function bringOver(task: TaskWorkspace, commit: string, tip: string): Promise<string | undefined> {
  const received = await receive(task, { from: task.engineDir, tips: [commit], known: [tip] })
  if (received.type === 'refused') return received.reason
  await release(task, received.quarantine, [commit])
  return undefined
}

function cannotBeKept(task: TaskWorkspace, reason: string): FailureError {
  return new FailureError({
    code: 'snapshot.refused',
    message: `The worktree ${task.worktree} cannot be kept as a snapshot: ${reason}`,
    next: `Look into ${task.worktree}, move away what is named here, then type the command again`,
    exitCode: exitCodes.waiting,
  })
}

/** Of the task branch; of where it began, once somebody has deleted it. */
export async function lastTip(task: TaskWorkspace): Promise<string> {
  const tip =
    (await resolveCommit(task.repo, `refs/heads/${task.branch}`)) ??
    (await resolveCommit(task.repo, `refs/baton/${task.run}/base`))
  if (tip !== undefined) return tip
  throw new FailureError({
    code: 'branch.missing',
    message: `The branch ${task.branch} was deleted, and refs/baton/${task.run}/ with it`,
    next: `git reflog --all | grep ${shellWord(task.branch)}  (then: git branch ${shellWord(task.branch)} <commit>)`,
    exitCode: exitCodes.waiting,
  })
}

/** Under the number that it has already, if it has one: after a crash the same thing is kept once. */
export async function nameSnapshot(task: TaskWorkspace, commit: string): Promise<Snapshot> {
  const ref = await snapshotRefFor(task, commit)
  await createRef(task, ref, commit)
  return { ref, commit }
}

/** The one that names the commit already, else the next. */
export async function snapshotRefFor(task: TaskWorkspace, commit: string): Promise<string> {
  const list = await gitText(
    ['for-each-ref', '--format=%(objectname) %(refname)', `refs/baton/${task.run}/`],
    { gitDir: task.repo.gitDir },
  )
  const line = list.split('\n').find((one) => one.startsWith(`${commit} `) && /\/\d+$/.test(one))
  return line === undefined ? nextSnapshotRef(task) : line.slice(commit.length + 1)
}

/** What may not enter the main repository, such as a hostile .gitmodules, is kept outside of git. */
async function keepAsTar(task: TaskWorkspace, commit: string): Promise<string> {
  const name = `snapshot-${commit.slice(0, 12)}.tar`
  // Git writes where it may; from there it goes where nobody but us does.
  const [written, file] = [join(task.engineDir, name), join(task.stateDir, name)]
  await gitInAgentSpace(['archive', '--format=tar', `--output=${written}`, commit], {
    gitDir: task.engineDir,
  })
  await rename(written, file)
  return file
}
