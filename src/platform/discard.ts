import { join } from 'node:path'
import { errorCode, unlessMissing } from './errno.ts'
import { temporaryBeside } from './files.ts'
import { readdir, rename, rm as remove } from './quick-files.ts'
import { removeTrees } from './remove-tree.ts'

/** How the names end of what was discarded, and perhaps not quite removed when the process was killed. */
export const discardedEnding = '.tmp'

const discarded: string[] = []
/** So many small folders take rm(1) hardly longer than one. */
const atOnce = 8

/**
 * Takes a folder away at once, if it is there: under another name, which nobody looks for. Its files go later, together
 * with those of others, where nobody waits for the disk; the process does not end before.
 */
export async function discard(path: string): Promise<void> {
  const aside = temporaryBeside(path)
  try {
    await rename(path, aside)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  discarded.push(aside)
  if (discarded.length === 1) process.once('beforeExit', atTheEnd)
  if (discarded.length >= atOnce) void emptyOut()
}

/** Until now; what cannot be removed is in nobody's way. */
export async function emptyOut(): Promise<void> {
  process.off('beforeExit', atTheEnd)
  if (discarded.length > 0) removing = Promise.allSettled([removing, removeTrees(discarded.splice(0))])
  await removing
}

let removing: Promise<unknown> = Promise.resolve()

function atTheEnd(): void {
  void emptyOut()
}

/** What a process that was killed did not get round to: whatever in the folder begins so and was discarded. */
export async function removeDiscarded(folder: string, beginning = ''): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    if (!name.startsWith(beginning) || !name.endsWith(discardedEnding)) continue
    await remove(join(folder, name), { recursive: true, force: true })
  }
}
