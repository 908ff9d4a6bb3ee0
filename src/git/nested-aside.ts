import { cp, lstat, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import type { ChangedPath } from './facts.ts'
import { freeName } from './registration.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * After files of a nested repository were taken back, what is left of it: its `.git`, which no tree can hold. It is
 * kept in the run's own folder, under the path that it had in the worktree.
 */
export async function setNestedAside(task: TaskWorkspace, changes: readonly ChangedPath[]): Promise<void> {
  const folders = new Set<string>()
  for (const { path, change } of changes) {
    if (change !== 'deleted') continue
    for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) folders.add(at)
  }
  // The deepest first, so that a folder is empty when its turn comes.
  const ordered = [...folders].toSorted((a, b) => b.length - a.length)
  for (const folder of ordered) await setAside(task, folder)
}

async function setAside(task: TaskWorkspace, folder: string): Promise<void> {
  const from = join(task.worktree, folder, '.git')
  if ((await lookAt(from)) === undefined) return
  const to = await freeName(join(task.stateDir, 'nested', folder, '.git'))
  await ensureDirectory(dirname(to))
  await move(from, to)
  await removeEmpty(task.worktree, folder)
}

/** A folder on the way may have become a file. */
async function lookAt(path: string): Promise<unknown> {
  try {
    return await unlessMissing(lstat(path))
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** The run's folder may be on another file system than the worktree. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, verbatimSymlinks: true })
    await rm(from, { recursive: true })
  }
}

async function removeEmpty(worktree: string, folder: string): Promise<void> {
  for (let at = folder; at !== '.'; at = posix.dirname(at)) {
    if ((await readdir(join(worktree, at))).length > 0) return
    await rmdir(join(worktree, at))
  }
}
