import { rm } from 'node:fs/promises'
import { errorCode } from './errno.ts'
import { temporaryBeside } from './files.ts'
import { rename } from './quick-files.ts'

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
