import { loadFrozen } from '../config/freeze.ts'
import { defined } from '../config/records.ts'
import { refuseWaysOut } from '../git/tracked-links.ts'
import { glanceAt } from '../journal/glance.ts'
import type { RunGlance } from '../journal/glance.ts'
import { requireOwnRun } from '../journal/own-runs.ts'
import { findRun } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import type { Settings } from '../model/settings.ts'
import { isOver } from '../model/run-state.ts'
import type { WantedStretch } from '../model/stretch.ts'
import { openProject } from './project.ts'
import type { Project } from './project.ts'
import type { LimitFlags } from './limit-flags.ts'
import { openSession } from './open-session.ts'
import type { RunOutcome, RunRecord } from './open-session.ts'
import { raiseWalls, wallsAgain, wallsFact } from './raise-walls.ts'
import { requireGit } from './require-git.ts'
import { tidyEnded } from './tidy-ended.ts'
import { openProviders, providersOf } from './workbench.ts'
import type { Surroundings } from './workbench.ts'
import { workplaceOf } from './workplace-of.ts'
import { version } from './version.ts'

export interface ResumeRequest {
  readonly run?: string
  /** More time than the run was started with. */
  readonly timeLimitMs?: number
  /** Other limits than the run was started with. */
  readonly limits?: LimitFlags
  /** For a provider whose quota is used up. */
  readonly wait?: boolean
  /** Only wakes the run to record that it is over. */
  readonly cancelAtOnce?: boolean
  /** What a verb asks of it, once it pauses. */
  readonly wanted?: WantedStretch
}

/** Goes on from the last recorded fact, with the workflow, prompts and settings that the run started with. */
export async function resumeRun(surroundings: Surroundings, request: ResumeRequest): Promise<RunOutcome> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(project.runsDir, request.run)
  const state = await glanceAt(folder)
  await requireOwnRun(project.repo, folder, state.digest)
  await requireOpen(project, folder, state)
  if (request.cancelAtOnce !== true) requireGit(surroundings)
  const frozen = await loadFrozen(folder.frozen, { digest: state.digest })
  const record = JSON.parse(frozen.files['run.json'] ?? '{}') as RunRecord
  const text = frozen.files['script.yaml']
  const script =
    record.script === undefined ? undefined : { file: record.script, ...(text === undefined ? {} : { text }) }
  const { loaded } = frozen
  const settings = withLimits(frozen.settings, request.limits ?? {})
  await refuseWaysOut({ root: project.repo.root, env: surroundings.env }, settings.worktree)
  const provider = openProviders(surroundings, settings, script)
  const cancelAtOnce = request.cancelAtOnce === true
  const providers = providersOf(loaded.workflow)
  const walls = cancelAtOnce
    ? await wallsAgain(state)
    : await raiseWalls(surroundings, { settings, providers, provider })
  const workplace = workplaceOf({
    project,
    folder,
    surroundings,
    provider,
    loaded,
    settings,
    requested: record.requested,
    wait: request.wait === true,
    walls,
  })
  const time = request.timeLimitMs === undefined ? {} : { time_limit_ms: request.timeLimitMs }
  const opening = { type: 'run.resumed' as const, version: version(), ...wallsFact(walls, settings), ...time }
  return openSession({
    project,
    folder,
    surroundings,
    workplace,
    record: { ...record, ...time },
    opening,
    cancelAtOnce,
    // Somebody else may have cancelled it, or have brought it to its end, while this was made ready.
    recheck: async () => requireOpen(project, folder, await glanceAt(folder)),
    ...(request.wanted ? { wanted: request.wanted } : {}),
  })
}

function withLimits(settings: Settings, { max_cost: cost, max_tokens: tokens }: LimitFlags): Settings {
  const { maxCost, maxTokens, ...rest } = settings
  const limit = (flag: number | 'none' | undefined, kept: number | undefined): number | undefined =>
    flag === 'none' ? undefined : (flag ?? kept)
  return { ...rest, ...defined({ maxCost: limit(cost, maxCost), maxTokens: limit(tokens, maxTokens) }) }
}

async function requireOpen({ repo }: Project, folder: RunFolder, state: RunGlance): Promise<void> {
  if (!isOver(state)) return
  await tidyEnded(folder, state, repo)
  throw new FailureError({
    code: 'run.finished',
    message: `Run ${folder.id} has ended (${state.status}); there is nothing to resume.`,
    next: `baton show ${folder.id}`,
  })
}
