// What the main repository knows of the task's worktree.
import { join, resolve } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, replaceFile, writeFileAtomic } from '../platform/files.ts'
import { lstatIfThere, readdir, rename } from '../platform/quick-files.ts'
import { overwrite } from './overwrite.ts'

export interface Registered {
  readonly branch: string
  readonly worktree: string
  /** `worktrees/<name>` in the common git directory. */
  readonly registration: string
  readonly engineDir: string
  readonly stateDir: string
}

/** Also finds one that `worktree add` did not live to finish. */
export async function findRegistration(gitDir: string, worktree: string): Promise<string | undefined> {
  const folder = join(gitDir, 'worktrees')
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    const registration = join(folder, name)
    const pointer = await readTextIfPresent(join(registration, 'gitdir'))
    if (pointer !== undefined && resolve(registration, pointer.trimEnd()) === join(worktree, '.git')) {
      return registration
    }
  }
  return undefined
}

/** For a registration that somebody pruned while the folder still stands. */
export async function writeRegistration(task: Registered, branch: string): Promise<void> {
  await ensureDirectory(task.registration)
  await writeFileAtomic(join(task.registration, 'HEAD'), `ref: refs/heads/${branch}\n`)
  await writeFileAtomic(join(task.registration, 'commondir'), '../..\n')
  await writeFileAtomic(join(task.registration, 'gitdir'), `${join(task.worktree, '.git')}\n`)
}

/** Does nothing if it points there already. Whatever else stands in its place is kept in the state directory. */
export async function pointWorktreeAt(task: Registered, gitDir: string): Promise<void> {
  const path = join(task.worktree, '.git')
  const content = `gitdir: ${gitDir}\n`
  if (overwrite(path, content)) return
  const entry = await lstatIfThere(path)
  if (entry?.isDirectory() === true) await rename(path, await freeName(join(task.stateDir, 'replaced-git')))
  // Not synced: opening the workspace puts it right in any case.
  await replaceFile(path, content)
}

/** `path`, or `path` with the first number from 2 on that is not taken. */
export async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${path}-${number}`
    if ((await lstatIfThere(candidate)) === undefined) return candidate
  }
}
