import type { RunState } from '../model/run-state.ts'

export interface Choice {
  /** Named on the command line: then its age does not matter, and it may be one that can still be resumed. */
  readonly isNamed: boolean
  readonly olderThanMs: number
  readonly now: number
}

export const endedStatuses: readonly string[] = ['delivered', 'failed', 'cancelled']

/** Why a run is not cleaned; undefined if it is. Pure. */
export function reasonToKeep(state: RunState, { isNamed, olderThanMs, now }: Choice): string | undefined {
  if (isNamed) return undefined
  const isOld = now - Date.parse(state.updatedAt) >= olderThanMs
  // Killed while its branch and worktree were being made: there is no work in them.
  if (state.branch === '' && state.status === 'stopped' && isOld) return undefined
  if (!endedStatuses.includes(state.status))
    return `it is ${state.status} and can be resumed (name it to clean it all the same: baton clean ${state.run})`
  return isOld ? undefined : 'it ended too recently'
}
