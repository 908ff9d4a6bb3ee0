import { join } from 'node:path'
import { readTextIfPresent } from '../platform/files.ts'
import type { RunFolder } from './run-folder.ts'

const longest = 20_000

/** `notes.md` in the run's folder: a person may write it at any time, and the next prompt holds it. */
export async function readNotes({ dir }: Pick<RunFolder, 'dir'>): Promise<string> {
  const text = ((await readTextIfPresent(join(dir, 'notes.md'))) ?? '').trim()
  return text.length <= longest ? text : `${text.slice(0, longest)}\n(cut here)`
}
