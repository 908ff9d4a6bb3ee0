import { loadFrozen } from '../config/freeze.ts'
import { readWholeJournal } from '../journal/read-journal.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { RunState } from '../model/run-state.ts'
import type { Settings } from '../model/settings.ts'
import { standingLines } from '../model/undone.ts'
import type { RunRecord } from './open-session.ts'

/** A run with what it was begun with. */
export interface FrozenRun {
  readonly folder: RunFolder
  readonly state: RunState
  readonly workflow: string
  readonly settings: Settings
  readonly values: JsonObject
  readonly requested: RunRecord['requested']
  readonly script?: string
}

export async function frozenRun(folder: RunFolder, state: RunState): Promise<FrozenRun> {
  const { settings, loaded, files } = await loadFrozen(folder.frozen, { digest: state.digest })
  const { values, requested, script } = JSON.parse(files['run.json'] ?? '{}') as RunRecord
  return {
    ...{ folder, state, settings, workflow: loaded.workflow.name, values, requested },
    ...(script === undefined ? {} : { script }),
  }
}

/** A run with the pull request that it has offered. */
export interface WatchedRun extends FrozenRun {
  readonly number: number
  readonly url: string
}

export async function watchedRun(folder: RunFolder, state: RunState): Promise<WatchedRun> {
  const offered = await offeredBy(folder)
  if (offered === undefined) throw nothingOffered(folder, state.status)
  return { ...(await frozenRun(folder, state)), ...offered }
}

/** The last one that stands; a file in the run's folder is none. */
async function offeredBy({ journal }: RunFolder): Promise<{ number: number; url: string } | undefined> {
  const lines = standingLines(await readWholeJournal(journal))
  const offered = lines.findLast(({ type }) => type === 'pull_request.offered')
  const number = Number(offered?.data['number'] ?? 0)
  return number > 0 ? { number, url: textOf(offered?.data['url']) } : undefined
}

function nothingOffered({ id }: RunFolder, status: string): FailureError {
  return new FailureError({
    code: 'watch.no_request',
    message: `Run ${id} is ${status}, and has no pull request at a forge.`,
    next: `baton show ${id}`,
  })
}
