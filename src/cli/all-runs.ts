import { glanceAt } from '../journal/glance.ts'
import type { RunGlance } from '../journal/glance.ts'
import { listJournals, runFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { openRunState } from '../model/run-state.ts'
import { asFound } from './state-of.ts'

/** All runs of a repository, the newest first. */
export async function glanceAtAll(runsDir: string): Promise<RunGlance[]> {
  const states: RunGlance[] = []
  for (const id of (await listJournals(runsDir)).toReversed()) {
    const folder = runFolder(runsDir, id)
    const state = await glanceOrReason(folder)
    // Without a name: cut off before its first line, or within it.
    if (state.run !== '') states.push(await asFound(folder, state))
  }
  return states
}

/** One journal that cannot be read must not hide the other runs. */
async function glanceOrReason(folder: RunFolder): Promise<RunGlance> {
  try {
    return await glanceAt(folder)
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    return {
      ...openRunState(),
      run: folder.id,
      status: 'unreadable',
      reason: error.message,
      task: error.message,
    }
  }
}
