import { lstat, rmdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { deleteMergedBranch } from '../git/merged-branch.ts'
import { takeInventory } from '../git/inventory.ts'
import { nextSnapshotRef } from '../git/import.ts'
import { lockOf, planSaving, removeWorktree, saveRegistration, saveWorktree } from '../git/remove-worktree.ts'
import type { Saving, SavingLimits } from '../git/remove-worktree.ts'
import { putAsideOf, removePutAside } from '../git/put-aside.ts'
import { findHalfMade, findTaskWorkspace } from '../git/task-workspace.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'
import { keptBeside } from '../journal/kept-files.ts'
import { requireOwnRun } from '../journal/own-runs.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { Cleaned, Leftover } from '../model/cleaned.ts'
import { FailureError } from '../model/failure.ts'
import type { RunState } from '../model/run-state.ts'
import { shellWord } from '../model/shell-word.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { readHolder, takeLock } from '../platform/lock.ts'
import type { HeldBy, Lock } from '../platform/lock.ts'
import { killOwnedBy, processesInside } from '../platform/processes.ts'
import { bytesIn } from '../platform/walk.ts'
import { endedStatuses } from './choose-runs.ts'
import { wallGit } from '../steps/wall-git.ts'
import { isFromTheSystem } from './from-the-system.ts'
import type { Project } from './project.ts'
import { wallsAgain } from './raise-walls.ts'

export interface CleanOptions extends SavingLimits {
  readonly dryRun: boolean
  readonly mergedBranches: boolean
}

export interface Cleaning {
  readonly project: Project
  readonly folder: RunFolder
  readonly state: RunState
  readonly options: CleanOptions
}

/** What fails at one run is no reason to leave the others, or not to tell of them. */
export async function cleanRun(cleaning: Cleaning): Promise<Cleaned> {
  try {
    return await cleanLocked(cleaning)
  } catch (error) {
    if (error instanceof FailureError && error.code === 'run.foreign') return kept(foreign(cleaning))
    if (error instanceof FailureError) return { ...kept(error.message), next: error.next }
    if (!isFromTheSystem(error)) throw error
    const next = `Put that right, then: baton clean ${cleaning.folder.id}`
    return { ...kept(String(error instanceof Error ? error.message : error)), next }
  }
}

/** No failure: nothing of it was to be cleaned. */
function foreign({ folder }: Cleaning): string {
  const files = `${shellWord(folder.dir)} ${shellWord(folder.journal)}`
  return `it was not made in this clone; if nobody needs it here: rm -r ${files}`
}

/** Holds the run's lock meanwhile: nobody resumes it under our hands. */
async function cleanLocked(cleaning: Cleaning): Promise<Cleaned> {
  const { project, folder, state, options } = cleaning
  const lock = options.dryRun ? await wouldLock(folder.lock) : await takeLock(folder.lock)
  if (lock.type === 'held') return kept(`it is alive (process ${lock.pid}); baton cancel ${folder.id}`)
  const gitRoom = wallGit({ repo: project.repo, folder, walls: await wallsAgain(state) })
  try {
    await requireOwnRun(project.repo, folder, state.digest)
    const worktree = await cleanPlace(cleaning)
    if (worktree.type === 'kept' || !options.mergedBranches) return worktree
    return await withBranch(worktree, cleaning)
  } finally {
    gitRoom.close()
    await lock.release()
  }
}

/** Without touching the lock. */
async function wouldLock(path: string): Promise<Lock | HeldBy> {
  const holder = await readHolder(path)
  if (holder?.alive === true) return { type: 'held', pid: holder.pid, host: holder.host }
  return { type: 'taken', release: async () => undefined }
}

async function cleanPlace(cleaning: Cleaning): Promise<Cleaned> {
  const { project, folder, state } = cleaning
  const place = { run: folder.id, branch: state.branch, stateDir: folder.git }
  if (state.branch === '') return cleanHalfMade(cleaning)
  const task = await findTaskWorkspace(project.repo, place)
  return task === undefined ? nothing : cleanWorkspace(task, cleaning)
}

/** Whether cleaning would find anything, found out without git. */
export async function hasTraces({ project, folder, state }: Omit<Cleaning, 'options'>): Promise<boolean> {
  const place = { run: folder.id, branch: state.branch, stateDir: folder.git }
  if (state.branch === '') return (await findHalfMade(project.repo, place)) !== undefined
  const task = await findTaskWorkspace(project.repo, place)
  if (task === undefined) return false
  const there = await Promise.all([task.worktree, task.engineDir].map((path) => unlessMissing(lstat(path))))
  return there.some((one) => one !== undefined) || (await putAsideOf(task)).length > 0
}

async function cleanHalfMade({ project, folder, options }: Cleaning): Promise<Cleaned> {
  const halfMade = await findHalfMade(project.repo, { run: folder.id, stateDir: folder.git })
  if (halfMade === undefined) return nothing
  if (!options.dryRun) await halfMade.undo()
  const back = [`baton resume ${folder.id}`]
  return { type: 'cleaned', removed: halfMade.traces, bytesFreed: 0, bytesBeside: 0, back }
}

const nothing: Cleaned = { type: 'nothing' }

function kept(reason: string): Cleaned & { readonly type: 'kept' } {
  return { type: 'kept', reason }
}

async function cleanWorkspace(task: TaskWorkspace, cleaning: Cleaning): Promise<Cleaned> {
  const locked = await lockOf(task)
  if (locked !== undefined)
    return kept(
      `git worktree lock${locked === '' ? '' : ` (${locked})`}; git worktree unlock ${shellWord(task.worktree)}`,
    )
  if ((await unlessMissing(lstat(task.worktree))) === undefined) return cleanRest(task, cleaning)
  if (!cleaning.options.dryRun) await killOwnedBy(cleaning.folder.dir)
  const [inside] = await processesInside(task.worktree)
  if (inside !== undefined) return kept(`process ${inside} stands in ${task.worktree}`)
  return cleaning.options.dryRun ? foresee(task, cleaning) : saveAndRemove(task, cleaning)
}

/** The worktree is gone already: what was made for it goes too, and what a clean that was killed has put aside. */
async function cleanRest(task: TaskWorkspace, cleaning: Cleaning): Promise<Cleaned> {
  const { options, state, folder } = cleaning
  const aside = await putAsideOf(task)
  const ofEngine = await bytesIn(task.engineDir)
  const removed = [...aside, ...(ofEngine === 0 ? [] : [task.engineDir])]
  if (removed.length === 0) return nothing
  const bytesFreed = await bytesOf(task, aside)
  const left = options.dryRun ? undefined : await removeRest(task, cleaning, ofEngine > 0)
  const back = [
    // All that it held was kept before it was put aside.
    ...(aside.length === 0 ? [] : [`baton restore ${folder.id}`]),
    isOver(state)
      ? `git worktree add ${shellWord(task.worktree)} ${shellWord(task.branch)}`
      : resumeOf(state),
  ]
  const done = { type: 'cleaned', removed, bytesFreed, bytesBeside: 0, back } as const
  if (left === undefined) return done
  const gone = removed.filter((path) => path !== left.path)
  if (gone.length > 0) return { ...done, removed: gone, bytesFreed: 0, left }
  return {
    ...kept(`what an earlier clean left is there: ${left.why}`),
    next: `rm -r ${shellWord(left.path)}`,
  }
}

async function removeRest(
  task: TaskWorkspace,
  cleaning: Cleaning,
  hasEngine: boolean,
): Promise<Leftover | undefined> {
  if (hasEngine) await saveRegistration(task, savingOf(cleaning))
  const left = hasEngine ? await removeWorktree(task) : await removePutAside(task)
  await dropEmpty(dirname(task.worktree))
  return left
}

/** The folder that was made for worktrees, once the last is gone; any other is the user's. */
async function dropEmpty(dir: string): Promise<void> {
  if (basename(dir) !== '.worktrees') return
  try {
    await rmdir(dir)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EACCES', 'EPERM'].includes(errorCode(error) ?? ''))
      throw error
  }
}

/** The same words without the deeds. */
async function foresee(task: TaskWorkspace, cleaning: Cleaning): Promise<Cleaned> {
  const hasEngine = (await unlessMissing(lstat(task.engineDir))) !== undefined
  const inventory = await takeInventory(task, hasEngine ? 'expected' : 'nothing')
  const plan = planSaving(inventory, cleaning.options)
  if (plan.type === 'leave') return kept(tooLarge(plan.bytes, cleaning))
  const ref = await nextSnapshotRef(task)
  const aside = await putAsideOf(task)
  const bytes = await bytesOf(task, aside)
  return report(task, cleaning, { ref, bytes, bytesBeside: plan.bytes, aside })
}

async function saveAndRemove(task: TaskWorkspace, cleaning: Cleaning): Promise<Cleaned> {
  const { options } = cleaning
  const aside = await putAsideOf(task)
  const bytes = await bytesOf(task, aside)
  const saved = await saveWorktree(task, {
    ...{ maxBytes: options.maxBytes, dropIgnored: options.dropIgnored },
    ...savingOf(cleaning),
  })
  if (saved.type === 'left')
    return kept(saved.reason === 'too_large' ? tooLarge(saved.bytes, cleaning) : saved.reason)
  const left = await removeWorktree(task)
  await dropEmpty(dirname(task.worktree))
  const done = report(task, cleaning, { ref: saved.snapshot.ref, bytes, bytesBeside: saved.bytes, aside })
  return left === undefined ? done : { ...done, bytesFreed: 0, left }
}

function savingOf({ folder, state }: Cleaning): Pick<Saving, 'note' | 'archives'> {
  return {
    note: { message: `Worktree of run ${folder.id} before it was removed\n`, date: state.updatedAt },
    archives: (snapshot) => keptBeside(folder, snapshot),
  }
}

async function bytesOf({ worktree, engineDir }: TaskWorkspace, aside: readonly string[]): Promise<number> {
  let bytes = 0
  for (const folder of [worktree, engineDir, ...aside]) bytes += await bytesIn(folder)
  return bytes
}

interface Report {
  readonly ref: string
  readonly bytes: number
  readonly bytesBeside: number
  readonly aside: readonly string[]
}

function report(
  task: TaskWorkspace,
  { folder, state }: Cleaning,
  saved: Report,
): Cleaned & { readonly type: 'cleaned' } {
  const snapshot = Number(saved.ref.split('/').at(-1))
  return {
    type: 'cleaned',
    removed: [task.worktree, task.engineDir, ...saved.aside],
    bytesFreed: Math.max(0, saved.bytes - saved.bytesBeside),
    snapshot,
    bytesBeside: saved.bytesBeside,
    back: [
      `baton restore ${folder.id} ${snapshot} --into ${shellWord(task.worktree)}`,
      ...(isOver(state) ? [] : [resumeOf(state)]),
    ],
  }
}

async function withBranch(worktree: Cleaned, { project, state, options }: Cleaning): Promise<Cleaned> {
  if (worktree.type === 'kept' || !isOver(state) || state.branch === '') return worktree
  const { branch, base, worktree: path } = state
  const { dryRun } = options
  const commit = await deleteMergedBranch(project.repo, { branch, base, dryRun, worktree: path })
  if (commit === undefined) return worktree
  const before =
    worktree.type === 'cleaned' ? worktree : { removed: [], back: [], bytesFreed: 0, bytesBeside: 0 }
  return {
    ...{ ...before, type: 'cleaned' },
    removed: [...before.removed, `branch ${branch}`],
    back: [...before.back, `git branch ${shellWord(branch)} ${commit}`],
  }
}

function isOver({ status }: RunState): boolean {
  return endedStatuses.includes(status)
}

function resumeOf({ run }: RunState): string {
  return `baton resume ${run}`
}

function tooLarge(bytes: number, { options, folder }: Cleaning): string {
  const raise = `--save-up-to ${Math.ceil(bytes / 1e6)}MB`
  const give = options.dropIgnored ? '' : `, or give ignored files up: --drop-ignored`
  return `${Math.ceil(bytes / 1e6)} MB in its worktree are in no snapshot; keep them: baton clean ${folder.id} ${raise}${give}`
}
