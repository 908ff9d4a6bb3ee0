import { requireOwnRun } from '../../journal/own-runs.ts'
import { findRun } from '../../journal/run-folder.ts'
import { loadSettings } from '../../config/load-settings.ts'
import { FailureError } from '../../model/failure.ts'
import { archiveRun } from '../archive-run.ts'
import type { Command } from '../command.ts'
import { openOutside } from '../outside.ts'
import { openProject } from '../project.ts'
import { reportEnd } from '../run-report.ts'
import { stateOf } from '../state-of.ts'
import { frozenRun } from '../watched-run.ts'

export interface ArchiveFlags {
  readonly deliver?: string
}

/** For documents that were left where they are until the branch was merged. */
export async function archive(command: Command, id: string, flags: ArchiveFlags): Promise<number> {
  const { surroundings, output } = command
  const project = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(project.runsDir, id)
  const state = await stateOf(folder)
  await requireOwnRun(project.repo, folder, state.digest)
  const run = await frozenRun(folder, state)
  if (run.state.status !== 'delivered') throw notDelivered(id, run.state.status)
  const { settings } = await loadSettings({
    ...{ layers: project.layers, env: surroundings.env },
    flags: flags.deliver === undefined ? {} : { deliver: flags.deliver },
  })
  const outside = openOutside(project.repo, settings, surroundings)
  const { runsDir } = project
  const deliver = settings.deliver ?? 'local'
  const outcome = await archiveRun(surroundings, { run, outside, runsDir, deliver })
  if (outcome) return reportEnd(output, outcome.end, outcome)
  output.result(`No document of run ${id} is left to archive.`, { run: id, archived: 0 })
  return 0
}

function notDelivered(run: string, status: string): FailureError {
  return new FailureError({
    code: 'archive.early',
    message: `Run ${run} is ${status}: only what was delivered and merged is archived.`,
    next: `baton show ${run}`,
  })
}
