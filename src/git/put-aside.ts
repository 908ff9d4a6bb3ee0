// A worktree on its way out: in one piece, under another name beside where it stood, until it is removed.
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Leftover } from '../model/cleaned.ts'
import { unlessMissing } from '../platform/errno.ts'
import { isTemporaryBeside, readTextIfPresent, temporaryBeside, writeFileAtomic } from '../platform/files.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import { removeTree } from '../platform/remove-tree.ts'
import type { Registered } from './registration.ts'

type Place = Pick<Registered, 'worktree' | 'stateDir'>

/** Its name is noted first: in that folder are worktrees of other repositories too, and theirs are called the same. */
export async function putAside(task: Place): Promise<void> {
  const aside = temporaryBeside(task.worktree)
  const all = [...(await putAsideOf(task)), aside]
  await writeFileAtomic(noteFile(task), `${JSON.stringify(all.map((path) => basename(path)))}\n`)
  await unlessMissing(rename(task.worktree, aside))
}

/** What was put aside and is still there: whoever wanted to remove it was killed, or could not. */
export async function putAsideOf(task: Place): Promise<string[]> {
  const found: string[] = []
  for (const name of await notedNames(task)) {
    const path = join(dirname(task.worktree), name)
    if (isTemporaryBeside(task.worktree, path) && (await lstatIfThere(path))) found.push(path)
  }
  return found
}

/** Gives the first that is left. */
export async function removePutAside(task: Place): Promise<Leftover | undefined> {
  let left: Leftover | undefined
  for (const path of await putAsideOf(task)) {
    try {
      await removeTree(path)
    } catch (error) {
      left ??= { path, why: String(error instanceof Error ? error.message : error) }
    }
  }
  if (left === undefined) await rm(noteFile(task), { force: true })
  return left
}

async function notedNames(task: Place): Promise<string[]> {
  const text = (await readTextIfPresent(noteFile(task))) ?? '[]'
  try {
    const names: unknown = JSON.parse(text)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}

function noteFile({ stateDir }: Place): string {
  return join(stateDir, 'put-aside.json')
}
