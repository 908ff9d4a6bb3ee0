import { dirname, join } from 'node:path'
import { discard, discardedEnding } from '../platform/discard.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readdir, rmdir } from '../platform/quick-files.ts'
import { keepLeftovers } from './leftovers.ts'
import { nameStaged } from './name-staged.ts'
import { privateDirPath } from './private-dir.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * Throws away the private git directories of a step that is over. Commits in them that were not imported become
 * snapshots first; one whose contents cannot be taken over stays where it is.
 */
export async function dropPrivateDirs(task: TaskWorkspace, prefix: string): Promise<string[]> {
  return dropDirsIn(task, dirname(privateDirPath(task, 'any')), prefix)
}

/** At the beginning of a process: those that are there were left by one that was killed. */
export async function nameStagedInPrivateDirs(task: TaskWorkspace): Promise<void> {
  const folder = dirname(privateDirPath(task, 'any'))
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    const path = join(folder, name)
    if (!name.endsWith(discardedEnding) && (await holdsObjects(path))) await nameStaged(task, path)
  }
}

/** Those of all steps, also of a worktree that was lost. */
export async function dropAllPrivateDirs(task: TaskWorkspace): Promise<void> {
  await nameStagedInPrivateDirs(task)
  const names = (await unlessMissing(readdir(task.stateDir))) ?? []
  for (const name of names.filter((one) => one.startsWith('private'))) {
    await dropDirsIn(task, join(task.stateDir, name), '')
    const left = await readdir(join(task.stateDir, name))
    if (left.length === 0) await rmdir(join(task.stateDir, name))
  }
}

async function dropDirsIn(task: TaskWorkspace, folder: string, prefix: string): Promise<string[]> {
  const names = ((await unlessMissing(readdir(folder))) ?? []).filter(
    (name) => name.startsWith(prefix) && !name.endsWith(discardedEnding),
  )
  const kept: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const leftovers = (await holdsObjects(path)) ? await keepLeftovers(task, { path }) : undefined
    if (leftovers?.type === 'refused') continue
    kept.push(...(leftovers?.snapshots ?? []).map(({ ref }) => ref))
    await discard(path)
  }
  return kept
}

/** Without an object of its own it holds no commit that is not elsewhere: most agents never touch git. */
async function holdsObjects(path: string): Promise<boolean> {
  const objects = (await unlessMissing(readdir(join(path, 'objects')))) ?? []
  const packs = (await unlessMissing(readdir(join(path, 'objects', 'pack')))) ?? []
  return packs.length > 0 || objects.some((name) => name !== 'info' && name !== 'pack')
}
