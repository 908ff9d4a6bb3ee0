import { readWholeJournal } from '../journal/read-journal.ts'
import { beforeFailure } from '../model/before-failure.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { JsonObject } from '../model/json.ts'
import { standingLines } from '../model/undone.ts'
import type { RunOutcome } from './open-session.ts'
import { undoRun } from './undo-run.ts'
import type { Surroundings } from './workbench.ts'

/** What became of it, in words and for `--json`. */
export interface RolledBack {
  readonly words: string
  readonly document: JsonObject
}

/**
 * `--rollback`: a run that ended at a failure goes back to where it stood before what it failed at. It is an undo like
 * any other, so all that was there is kept, and the run can be resumed. Undefined where it did not end so.
 */
export async function rollBack(
  surroundings: Surroundings,
  { end, folder }: RunOutcome,
): Promise<RolledBack | undefined> {
  if (end.type !== 'finished' || end.exitCode !== exitCodes.failed) return undefined
  const lines = await readWholeJournal(folder.journal)
  const target = beforeFailure(standingLines(lines))
  if (!target) return notDone('no step had ended before it', `baton show ${folder.id}`)
  try {
    const { to, from, commit, snapshot } = await undoRun(surroundings, { run: folder.id, to: target.key })
    const back = `baton restore ${folder.id} ${snapshot.split('/').at(-1)} --into ../restored-${folder.id}`
    const next = `baton resume ${folder.id}`
    const words = [
      `Rolled back to the end of ${to}; the branch is at ${commit.slice(0, 12)}.`,
      `What was there: ${back}`,
      `Try again: ${next}`,
    ]
    return { words: words.join('\n'), document: { to, from, commit, snapshot, back, next } }
  } catch (error) {
    // How the run ended is told in any case.
    if (error instanceof FailureError) return notDone(error.message, error.next)
    throw error
  }
}

function notDone(why: string, next: string): RolledBack {
  return { words: `Not rolled back: ${why}\n${next}`, document: { why, next } }
}
