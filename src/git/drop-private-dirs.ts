import { dirname, join } from 'node:path'
import { discard, discardedEnding } from '../platform/discard.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readdir } from '../platform/quick-files.ts'
import { keepLeftovers } from './leftovers.ts'
import { privateDirPath } from './private-dir.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * Throws away the private git directories of a step that is over. Commits in them that were not imported become
 * snapshots first; one whose contents cannot be taken over stays where it is.
 */
export async function dropPrivateDirs(task: TaskWorkspace, prefix: string): Promise<string[]> {
  const folder = dirname(privateDirPath(task, 'any'))
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
