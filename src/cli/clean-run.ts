import { lstat } from 'node:fs/promises'
import { deleteMergedBranch } from '../git/merged-branch.ts'
import { putAsideOf } from '../git/put-aside.ts'
import { findHalfMade, findTaskWorkspace } from '../git/task-workspace.ts'
import { requireOwnRun } from '../journal/own-runs.ts'
import type { Cleaned } from '../model/cleaned.ts'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readHolder, takeLock } from '../platform/lock.ts'
import type { HeldBy, Lock } from '../platform/lock.ts'
import { wallGit } from '../steps/wall-git.ts'
import { cleanWorkspace } from './clean-worktree.ts'
import { isOver, kept, nothing } from './cleaning.ts'
import type { Cleaning } from './cleaning.ts'
import { isFromTheSystem } from './from-the-system.ts'
import { wallsAgain } from './raise-walls.ts'

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
