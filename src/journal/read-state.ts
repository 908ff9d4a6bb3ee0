import { foldLine, openRunState } from '../model/run-state.ts'
import type { RunState } from '../model/run-state.ts'
import { readJournal } from './read-journal.ts'
import type { RunFolder } from './run-folder.ts'

/** What a run has come to. Apart from what resumes it, so that looking at runs does not load the engine. */
export async function readState(folder: RunFolder): Promise<RunState> {
  let state = openRunState()
  for await (const line of readJournal(folder.journal)) state = foldLine(state, line)
  return state
}
