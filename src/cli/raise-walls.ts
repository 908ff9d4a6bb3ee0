import { FailureError } from '../model/failure.ts'
import type { JsonObject } from '../model/json.ts'
import type { RunState } from '../model/run-state.ts'
import type { Settings } from '../model/settings.ts'
import type { Walls } from '../model/walls.ts'
import { noWalls } from '../sandbox/no-walls.ts'
import { openWalls } from '../sandbox/open-walls.ts'
import type { Workplace } from '../steps/workplace.ts'
import type { Surroundings } from './workbench.ts'

export interface Occupants {
  readonly settings: Pick<Settings, 'sandbox'>
  readonly providers: readonly string[]
  readonly provider: Workplace['provider']
}

/** Seen to hold before anything is made. A scripted agent does what the user wrote, and needs none unless asked for. */
export async function raiseWalls({ sandboxProgram }: Surroundings, run: Occupants): Promise<Walls> {
  if (!needsWalls(run)) return noWalls
  const { platform } = process
  return openWalls(sandboxProgram === undefined ? { platform } : { platform, program: sandboxProgram })
}

function needsWalls({ settings, providers, provider }: Occupants): boolean {
  if (settings.sandbox !== undefined) return settings.sandbox === 'required'
  return providers.some((name) => provider(name).isScripted !== true)
}

/** For the journal, and so for everybody who is shown the run: which walls are in force, or that they are down. */
export function wallsFact({ kind }: Walls, { sandbox }: Pick<Settings, 'sandbox'>): JsonObject {
  if (kind !== 'none') return { walls: kind }
  return sandbox === 'off' ? { walls: 'down' } : {}
}

/**
 * For what is done with a run that is over, or about to be: those that it had, for the engine's git. Where they can be had no more,
 * nothing but that git is started, which has nothing to run: no reason to keep a person from his work.
 */
export async function wallsAgain(state: Pick<RunState, 'walls'>): Promise<Walls> {
  if (state.walls === '' || state.walls === 'down') return noWalls
  try {
    return await openWalls({ platform: process.platform })
  } catch (error) {
    if (error instanceof FailureError) return noWalls
    throw error
  }
}
