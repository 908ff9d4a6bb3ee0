import { stat } from 'node:fs/promises'
import { listSnapshots } from '../git/list-snapshots.ts'
import type { KeptSnapshot } from '../git/list-snapshots.ts'
import type { Repository } from '../git/repository.ts'
import { keptBeside } from '../journal/kept-files.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { Json } from '../model/json.ts'
import { textOf } from '../model/json.ts'
import { unlessMissing } from '../platform/errno.ts'

export interface RunSnapshot extends KeptSnapshot {
  /** Bytes of the archives beside it. */
  readonly beside: number
}

/** A run's snapshots, each with the visit it was made in: as its trailer says, or as the journal says of its commit. */
export async function snapshotsOf(
  repo: Repository,
  folder: RunFolder,
  branch: string,
): Promise<RunSnapshot[]> {
  const found = await listSnapshots(repo, { run: folder.id, branch })
  const steps = found.some(({ step }) => step === '')
    ? await stepsByCommit(folder)
    : new Map<string, string>()
  return Promise.all(
    found.map(async (one) => ({
      ...one,
      step: one.step || (steps.get(one.commit) ?? ''),
      beside: await bytesBeside(folder, one.number),
    })),
  )
}

/** `code#1/commit/<id>` is the key of a commit's line: what stands before is the visit. */
async function stepsByCommit(folder: RunFolder): Promise<Map<string, string>> {
  const steps = new Map<string, string>()
  for await (const { type, data } of readJournal(folder.journal)) {
    if (type === 'commit.made') steps.set(textOf(data['commit']), visitOf(textOf(data['key'])))
    if (type === 'step.finished' && !steps.has(textOf(data['commit'])))
      steps.set(textOf(data['commit']), visitOf(textOf(data['key'])))
  }
  return steps
}

function visitOf(key: string): string {
  return key.replace(/\/(?:commit(?:\/[0-9a-f]+)?|finished)$/, '')
}

async function bytesBeside(folder: RunFolder, snapshot: number): Promise<number> {
  const { files, modules } = keptBeside(folder, snapshot)
  const sizes = await Promise.all([files, modules].map((file) => unlessMissing(stat(file))))
  return sizes.reduce((sum, entry) => sum + (entry?.size ?? 0), 0)
}

export function snapshotDocument({ number, ref, commit, date, step, subject, ...one }: RunSnapshot): Json {
  const changed = one.changed === undefined ? {} : { files_changed: one.changed }
  return { number, ref, commit, date, step, what: subject, ...changed, bytes_beside: one.beside }
}
