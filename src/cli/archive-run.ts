import * as z from 'zod'
import { fetchBranch, remoteUrl } from '../git/remote.ts'
import { gitText } from '../git/host-git.ts'
import { resolveBase } from '../git/repository.ts'
import { glanceAt } from '../journal/glance.ts'
import { readWholeJournal } from '../journal/read-journal.ts'
import { listRunIds, runFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import { standingLines } from '../model/undone.ts'
import type { Outside } from '../steps/workplace.ts'
import { firstLine } from './earlier-rounds.ts'
import type { RunOutcome } from './open-session.ts'
import { startRun } from './start-run.ts'
import type { Surroundings } from './workbench.ts'
import type { FrozenRun } from './watched-run.ts'

export interface Archiving {
  readonly run: FrozenRun
  readonly outside: Outside
  readonly runsDir: string
  /** `pr` or `local`. */
  readonly deliver: string
}

/**
 * The documents of a run whose branch is merged go to the archive by a run of their own: the base is changed by a
 * merge, as ever. Undefined where there is nothing left to move.
 */
export async function archiveRun(
  surroundings: Surroundings,
  { run, outside, runsDir, deliver }: Archiving,
): Promise<RunOutcome | undefined> {
  const of = run.folder.id
  if (await isUnderWay(runsDir, of)) return undefined
  const base = run.requested.pr?.base ?? run.state.base
  const from = await mergedBase(outside, { base, run: of })
  const paths = await presentAt(outside, from, await documentsOf(run.folder))
  if (paths.length === 0) return undefined
  const { workflow, settings, script, values } = run
  const [first = ''] = textOf(values['task']).split('\n', 1)
  return startRun(surroundings, {
    ...{ task: `Archive the documents of task ${of}: ${first}`, mode: 'archive', from },
    documents: { of, paths },
    inputs: { archive: 'before_push' },
    flags: { workflow, provider: settings.provider, model: settings.model, deliver, base: settings.base },
    ...(script === undefined ? {} : { script }),
  })
}

const startedSchema = z.object({ inputs: z.object({ documents: z.object({ of: z.string() }).optional() }) })

/** Another run has done it, or is at it: its branch need not be merged yet. */
async function isUnderWay(runsDir: string, of: string): Promise<boolean> {
  for (const id of await listRunIds(runsDir)) {
    const folder = runFolder(runsDir, id)
    const first = await firstLine(folder)
    if (startedSchema.safeParse(first?.data).data?.inputs.documents?.of !== of) continue
    const { status } = await glanceAt(folder)
    if (status !== 'failed' && status !== 'cancelled') return true
  }
  return false
}

/** What the remote has; this clone may not have fetched the merge yet. */
async function mergedBase(
  { git }: Outside,
  { base, run }: { readonly base: string; readonly run: string },
): Promise<string> {
  if ((await remoteUrl(git)) === undefined) return (await resolveBase(git.repo, base)).commit
  const branch = base.startsWith(`${git.remote}/`) ? base.slice(git.remote.length + 1) : base
  const fetched = await fetchBranch(git, { branch, into: `refs/baton/incoming/archive-${run}` })
  if (fetched.type === 'done') return fetched.value
  throw new FailureError({
    code: 'archive.unfetched',
    message: `The remote's '${branch}' could not be fetched: ${fetched.why}`,
    next: 'git fetch   (once that works, the same command again)',
    exitCode: exitCodes.failed,
  })
}

/** What the steps of the run have written. */
async function documentsOf({ journal }: RunFolder): Promise<string[]> {
  const lines = await readWholeJournal(journal)
  const written = standingLines(lines).flatMap(({ type, data }) =>
    type === 'step.finished' && Array.isArray(data['writes']) ? data['writes'].map(textOf) : [],
  )
  return [...new Set(written)]
}

async function presentAt({ git }: Outside, commit: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const { gitDir } = git.repo
  const list = await gitText(['ls-tree', '-r', '-z', '--name-only', commit, '--', ...paths], { gitDir })
  return list.split('\0').filter((path) => path !== '')
}
