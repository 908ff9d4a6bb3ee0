import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, unlessMissing } from './errno.ts'
import { temporaryBeside } from './files.ts'
import { readdir, rename, rm as remove } from './quick-files.ts'

/** How the names end of what was discarded, and perhaps not quite removed when the process was killed. */
export const discardedEnding = '.tmp'

/**
 * Takes a folder away at once, if it is there: under another name, which nobody looks for. Its files go in the
 * background, where nobody waits for the disk; the process does not end before.
 */
export async function discard(path: string): Promise<void> {
  const aside = temporaryBeside(path)
  try {
    await rename(path, aside)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return
    throw error
  }
  // What cannot be removed is in nobody's way.
  rm(aside, { recursive: true, force: true }).catch(() => undefined)
}

/** What a process that was killed did not get round to: whatever in the folder begins so and was discarded. */
export async function removeDiscarded(folder: string, beginning = ''): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    if (!name.startsWith(beginning) || !name.endsWith(discardedEnding)) continue
    await remove(join(folder, name), { recursive: true, force: true })
  }
}
