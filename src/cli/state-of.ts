import type { RunGlance } from '../journal/glance.ts'
import { readState } from '../journal/read-state.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { RunState } from '../model/run-state.ts'
import { instantOf } from '../platform/clock.ts'
import type { Clock } from '../platform/clock.ts'
import { readHolder } from '../platform/lock.ts'

/** A run whose journal says running but whose process is gone was cut off: it can be resumed. So can one that waits, alone. */
export async function asFound<S extends RunGlance>(folder: RunFolder, state: S): Promise<S> {
  if (state.status !== 'running' && !state.stays) return state
  if ((await readHolder(folder.lock))?.alive === true) return state
  if (state.status !== 'running') return { ...state, stays: false }
  return { ...state, status: 'stopped', reason: 'its process is gone' }
}

export async function stateOf(folder: RunFolder): Promise<RunState> {
  return asFound(folder, await readState(folder))
}

/** For who looks at it now: a run that works has written nothing since its last fact, but its time goes on. */
export function untilNow<S extends RunGlance>(state: S, clock: Clock): S {
  return state.status === 'running'
    ? { ...state, updatedAt: new Date(instantOf(clock)).toISOString() }
    : state
}
