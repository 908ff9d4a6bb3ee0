import { readTextIfPresent } from '../platform/files.ts'
import type { RunFolder } from './run-folder.ts'

/** Once there is a branch there is something to look at and to resume; before that, the run never was. */
export async function hasBranch({ journal }: RunFolder): Promise<boolean> {
  return ((await readTextIfPresent(journal)) ?? '').includes('"branch.created"')
}
