import { foldLines, openFold, foldedState } from '../model/fold-run.ts'
import type { RunState } from '../model/run-state.ts'
import { readJournalBatches } from './read-journal.ts'
import type { RunFolder } from './run-folder.ts'

/** What a run has come to. Apart from what resumes it, so that looking at runs does not load the engine. */
export async function readState(folder: RunFolder): Promise<RunState> {
  let fold = openFold()
  for await (const batch of readJournalBatches(folder.journal)) fold = foldLines(fold, batch)
  return foldedState(fold)
}
