import { glanceAt } from '../journal/glance.ts'
import { readState } from '../journal/read-state.ts'
import { listRunIds, runFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import { isOver } from '../model/run-state.ts'
import type { RunState } from '../model/run-state.ts'

/** A run that is not over, and what it is known by. */
export interface ActiveRun {
  readonly id: string
  readonly folder: RunFolder
  readonly state: RunState
}

/** The runs of a workflow that somebody can go on with, oldest first. */
export async function activeRuns(
  runsDir: string,
  { workflow, identifier }: { readonly workflow: string; readonly identifier: string },
): Promise<ActiveRun[]> {
  const active: ActiveRun[] = []
  for (const number of await listRunIds(runsDir)) {
    const folder = runFolder(runsDir, number)
    const state = await activeState(folder, workflow)
    if (state) active.push({ id: textOf(state.inputs[identifier]), folder, state })
  }
  return active
}

async function activeState(folder: RunFolder, workflow: string): Promise<RunState | undefined> {
  try {
    const glance = await glanceAt(folder)
    if (glance.workflow !== workflow || isOver(glance)) return undefined
    return await readState(folder)
  } catch (error) {
    // One that cannot be read is none to go on with; `baton runs` says what is wrong with it.
    if (error instanceof FailureError) return undefined
    throw error
  }
}
