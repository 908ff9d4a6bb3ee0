// The worktree of a run: kept as a snapshot, then removed; or what is left of one that is gone.
import { lstat, rmdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { nextSnapshotRef } from '../git/import.ts'
import { takeInventory } from '../git/inventory.ts'
import { putAsideOf, removePutAside } from '../git/put-aside.ts'
import { lockOf, planSaving, removeWorktree, saveRegistration, saveWorktree } from '../git/remove-worktree.ts'
import type { Saving } from '../git/remove-worktree.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'
import { keptBeside } from '../journal/kept-files.ts'
import type { Cleaned, Leftover } from '../model/cleaned.ts'
import type { RunState } from '../model/run-state.ts'
import { shellWord } from '../model/shell-word.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { killOwnedBy, processesInside } from '../platform/processes.ts'
import { bytesIn } from '../platform/walk.ts'
import { isOver, kept, nothing } from './cleaning.ts'
import type { Cleaning } from './cleaning.ts'

export async function cleanWorkspace(task: TaskWorkspace, cleaning: Cleaning): Promise<Cleaned> {
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

function resumeOf({ run }: RunState): string {
  return `baton resume ${run}`
}

function tooLarge(bytes: number, { options, folder }: Cleaning): string {
  const raise = `--save-up-to ${Math.ceil(bytes / 1e6)}MB`
  const give = options.dropIgnored ? '' : `, or give ignored files up: --drop-ignored`
  return `${Math.ceil(bytes / 1e6)} MB in its worktree are in no snapshot; keep them: baton clean ${folder.id} ${raise}${give}`
}
