import type { RunGlance } from '../journal/glance.ts'
import { readState } from '../journal/read-state.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { RunState } from '../model/run-state.ts'
import { readHolder } from '../platform/lock.ts'

/** A run whose journal says running but whose process is gone was cut off: it can be resumed. */
export async function asFound<S extends RunGlance>(folder: RunFolder, state: S): Promise<S> {
  if (state.status !== 'running' || (await readHolder(folder.lock))?.alive === true) return state
  return { ...state, status: 'stopped', reason: 'its process is gone' }
}

export async function stateOf(folder: RunFolder): Promise<RunState> {
  return asFound(folder, await readState(folder))
}
