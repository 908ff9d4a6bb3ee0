import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, sha256Of } from '../platform/files.ts'
import { readdir, rm } from '../platform/quick-files.ts'

/**
 * Each letter is taken once: by a file that only one can make, so that neither a second listener nor one that was
 * started anew takes it again. Files of letters that are too old to be believed are removed.
 */
export async function claimLetter(
  dir: string,
  signature: string,
  { now, longestAgeMs }: { readonly now: number; readonly longestAgeMs: number },
): Promise<boolean> {
  await ensureDirectory(dir)
  await forgetOld(dir, now - 3 * longestAgeMs)
  try {
    await writeFile(join(dir, sha256Of(signature)), '', { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function forgetOld(dir: string, before: number): Promise<void> {
  for (const name of await readdir(dir)) {
    const entry = await unlessMissing(stat(join(dir, name)))
    if (entry && entry.mtimeMs < before) await rm(join(dir, name), { force: true })
  }
}
