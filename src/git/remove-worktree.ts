import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Leftover } from '../model/cleaned.ts'
import { FailureError } from '../model/failure.ts'
import { packFiles } from '../platform/archive.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { walk } from '../platform/walk.ts'
import { dropAllPrivateDirs, nameStagedInPrivateDirs } from './drop-private-dirs.ts'
import { treeOf } from './worktree-tree.ts'
import { gitText } from './host-git.ts'
import { createRef, nextSnapshotRef } from './import.ts'
import { takeInventory, type Inventory } from './inventory.ts'
import { keepLooseCommits, keepStaged } from './keep-registration.ts'
import { putAside, removePutAside } from './put-aside.ts'
import { dropQuarantine } from './quarantine.ts'
import { findRegistration, pointWorktreeAt } from './registration.ts'
import { lastTip, snapshotForRemoval, type Snapshot, type SnapshotNote } from './restore.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface SavingLimits {
  /** More than this is not put into an archive: the worktree stays. */
  readonly maxBytes: number
  /** Ignored files are given up. */
  readonly dropIgnored: boolean
}

export interface Saving extends SavingLimits {
  readonly note: SnapshotNote
  /** Absolute paths of the archives that belong to a snapshot. */
  readonly archives: (snapshot: number) => { readonly files: string; readonly modules: string }
}

/** What would go into the archive; or why the worktree has to stay. */
export type SavingPlan =
  | { readonly type: 'save'; readonly names: readonly string[]; readonly bytes: number }
  | { readonly type: 'leave'; readonly reason: 'too_large'; readonly bytes: number }

/** Pure. */
export function planSaving({ beside }: Inventory, limits: SavingLimits): SavingPlan {
  // Folders of ignored files come along with what is left in them.
  const wanted = limits.dropIgnored ? beside.filter((one) => !one.isIgnored && !one.isFolder) : beside
  const bytes = wanted.reduce((sum, one) => sum + one.bytes, 0)
  if (bytes > limits.maxBytes) return { type: 'leave', reason: 'too_large', bytes }
  return { type: 'save', names: wanted.map(({ path }) => path), bytes }
}

export type Saved =
  | {
      readonly type: 'saved'
      readonly snapshot: Snapshot
      /** Commits that only the worktree's own reflog knew, and what was staged. */
      readonly more: readonly Snapshot[]
      readonly bytes: number
    }
  | { readonly type: 'left'; readonly reason: string; readonly bytes: number }

/** Keeps every byte of the worktree: as a snapshot, and beside it what git would not give back. */
export async function saveWorktree(task: TaskWorkspace, saving: Saving): Promise<Saved> {
  // As long as there is a worktree to compare it with.
  await nameStagedInPrivateDirs(task)
  await pointWorktreeAt(task, task.registration)
  // Of an engine that was killed: the caller holds the run's lock, so nobody else can be at work.
  await rm(join(task.engineDir, 'index.lock'), { force: true })
  try {
    return await saveAs(task, saving, true)
  } catch (error) {
    // Names that git refuses, a `.gitmodules` that carries commands, no engine directory: all of it as an archive.
    if (error instanceof FailureError) return saveAs(task, saving, false)
    throw error
  }
}

async function saveAs(task: TaskWorkspace, saving: Saving, isTrusted: boolean): Promise<Saved> {
  if (isTrusted) await treeOf(task)
  const inventory = await takeInventory(task, isTrusted ? 'added' : 'nothing')
  const plan = planSaving(inventory, saving)
  if (plan.type === 'leave') return { type: 'left', reason: plan.reason, bytes: plan.bytes }
  const snapshot = isTrusted ? await snapshotForRemoval(task, saving.note) : await nameTip(task)
  const archives = saving.archives(numberOf(snapshot.ref))
  const complaint =
    (await pack(task.worktree, plan.names, archives.files)) ??
    (await pack(task.registration, await modulesOf(task), archives.modules))
  if (complaint !== undefined) return { type: 'left', reason: complaint, bytes: plan.bytes }
  const more = [...(await keepLooseCommits(task)), ...(await stagedOf(task, snapshot, saving.note))]
  if (!(await isUnchanged(task, { snapshot, inventory, isTrusted })))
    return { type: 'left', reason: 'it was changed meanwhile', bytes: plan.bytes }
  return { type: 'saved', snapshot, more, bytes: plan.bytes }
}

async function nameTip(task: TaskWorkspace): Promise<Snapshot> {
  const ref = await nextSnapshotRef(task)
  const commit = await lastTip(task)
  await createRef(task, ref, commit)
  return { ref, commit }
}

async function pack(root: string, names: readonly string[], file: string): Promise<string | undefined> {
  return names.length === 0 ? undefined : packFiles({ root, names, file })
}

/** A linked worktree has the git directories of its submodules in its registration. */
async function modulesOf({ registration }: TaskWorkspace): Promise<string[]> {
  const names: string[] = []
  for await (const { path } of walk(join(registration, 'modules'))) names.push(`modules/${path}`)
  return names
}

async function stagedOf(task: TaskWorkspace, snapshot: Snapshot, note: SnapshotNote): Promise<Snapshot[]> {
  if ((await unlessMissing(lstat(task.engineDir))) === undefined) return []
  const parent = await lastTip(task)
  const trees = await gitText(['rev-parse', `${parent}^{tree}`, `${snapshot.commit}^{tree}`], {
    gitDir: task.repo.gitDir,
  })
  const message = 'Staged in the worktree\n'
  const kept = await keepStaged(task, { ...note, message, parent, besides: trees.split('\n') })
  return kept === undefined ? [] : [kept]
}

interface Looked {
  readonly snapshot: Snapshot
  readonly inventory: Inventory
  readonly isTrusted: boolean
}

/** Somebody may still be at work there. */
async function isUnchanged(task: TaskWorkspace, looked: Looked): Promise<boolean> {
  const { inventory, isTrusted, snapshot } = looked
  if ((await takeInventory(task, isTrusted ? 'added' : 'nothing')).signature !== inventory.signature)
    return false
  if (!isTrusted) return true
  const tree = await gitText(['rev-parse', `${snapshot.commit}^{tree}`], { gitDir: task.repo.gitDir })
  return tree === (await treeOf(task))
}

/** Why git, or a person through git, wants the worktree to stay. */
export async function lockOf({ registration }: TaskWorkspace): Promise<string | undefined> {
  return (await readTextIfPresent(join(registration, 'locked')))?.trim()
}

/**
 * Everything of it has been saved. Agents' directories whose contents cannot be taken over stay. It goes at once, under
 * another name: half a worktree would be taken for work of a person who has removed the rest. Gives what is left of it.
 */
export async function removeWorktree(task: TaskWorkspace): Promise<Leftover | undefined> {
  // Looked up once more: a worktree that was moved (`git worktree move`) keeps its registration.
  const registration = await findRegistration(task.repo.gitDir, task.worktree)
  await putAside(task)
  if (registration !== undefined) await rm(registration, { recursive: true, force: true })
  await removeEngineDirs(task)
  return removePutAside(task)
}

/** For a worktree that is gone: what its registration still knows. */
export async function saveRegistration(
  task: TaskWorkspace,
  saving: Omit<Saving, keyof SavingLimits>,
): Promise<void> {
  await keepLooseCommits(task)
  const tip = await lastTip(task)
  await stagedOf(task, { ref: '', commit: tip }, saving.note)
  const modules = await modulesOf(task)
  if (modules.length === 0) return
  const { ref } = await nameTip(task)
  const complaint = await pack(task.registration, modules, saving.archives(numberOf(ref)).modules)
  if (complaint === undefined) return
  throw new FailureError({
    code: 'snapshot.refused',
    message: `The submodules of ${task.worktree} cannot be kept: ${complaint}`,
    next: `Look into ${join(task.registration, 'modules')}`,
  })
}

function numberOf(ref: string): number {
  return Number(ref.split('/').at(-1))
}

async function removeEngineDirs(task: TaskWorkspace): Promise<void> {
  if ((await unlessMissing(lstat(task.engineDir))) !== undefined) await dropAllPrivateDirs(task)
  await dropQuarantine(task)
  await rm(task.engineDir, { recursive: true, force: true })
  await rm(join(task.stateDir, 'published-index.json'), { force: true })
}
