import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { gitInAgentSpace } from './agent-space.ts'
import type { ChangedPath } from './facts.ts'
import { onWorktree } from './on-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * What stands where a tree is about to put its files, and is in no tree itself: ignored files, folders of such, or
 * one in the place of a folder. It goes into the engine's index, and with that into the snapshot, so that git finds
 * nothing in its way and nothing is lost. False where there is none.
 */
export async function addWhatIsInTheWay(
  task: TaskWorkspace,
  changes: readonly ChangedPath[],
): Promise<boolean> {
  const found = new Set<string>()
  for (const { path, change } of changes) {
    if (change !== 'added') continue
    for (const obstacle of await obstaclesAt(task.worktree, path)) found.add(obstacle)
  }
  if (found.size === 0) return false
  await gitInAgentSpace(['update-index', '--add', '-z', '--stdin'], {
    ...onWorktree(task),
    input: [...found].map((path) => `${path}\0`).join(''),
  })
  return true
}

async function obstaclesAt(worktree: string, path: string): Promise<string[]> {
  const parts = path.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = parts.slice(0, depth).join('/')
    const entry = await unlessMissing(lstat(join(worktree, parent)))
    if (entry === undefined) return []
    if (!entry.isDirectory()) return isStorable(entry) ? [parent] : []
  }
  const entry = await unlessMissing(lstat(join(worktree, path)))
  if (entry?.isDirectory() === true) return filesBelow(worktree, path)
  return entry !== undefined && isStorable(entry) ? [path] : []
}

async function filesBelow(worktree: string, folder: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(join(worktree, folder), { withFileTypes: true })) {
    if (entry.name === '.git') continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) files.push(...(await filesBelow(worktree, path)))
    else if (isStorable(entry)) files.push(path)
  }
  return files
}

function isStorable(entry: Pick<Stats, 'isFile' | 'isSymbolicLink'>): boolean {
  return entry.isFile() || entry.isSymbolicLink()
}
