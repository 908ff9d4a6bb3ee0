import { freezeRun } from '../config/freeze.ts'
import { readIfFile } from '../config/find-files.ts'
import type { SettingsFlags } from '../config/load-settings.ts'
import type { LoadedWorkflow } from '../config/loaded-workflow.ts'
import { resolveInputs, resolveMode } from '../config/run-inputs.ts'
import { resolveBase, resolveCommit } from '../git/repository.ts'
import { excludeFromClone, usedRunNumbers } from '../git/run-numbers.ts'
import { claimRunFolder } from '../journal/run-folder.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Settings } from '../model/settings.ts'
import { featureOf, slugOf } from '../model/slug.ts'
import type { Walls } from '../model/walls.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { rm } from '../platform/quick-files.ts'
import type { Feedback } from '../model/step-result.ts'
import type { Requested, Workplace } from '../steps/workplace.ts'
import { openSession } from './open-session.ts'
import { raiseWalls, wallsFact } from './raise-walls.ts'
import type { RunOutcome, RunRecord } from './open-session.ts'
import { nextNames } from './next-names.ts'
import { chooseRemoteCheck, openOutside } from './outside.ts'
import { openProject } from './project.ts'
import type { Project } from './project.ts'
import { version } from './version.ts'
import { checkEnvironment, loadAll, openProviders, providersOf } from './workbench.ts'
import type { ScriptSource, Surroundings } from './workbench.ts'

export interface RunRequest {
  readonly task?: string
  readonly mode?: string
  readonly inputs: Readonly<Record<string, string | readonly string[]>>
  readonly flags: SettingsFlags
  readonly script?: string
  readonly from?: string
  /** Where the task was written, if it was not typed here. */
  readonly source?: { readonly url: string; readonly closes?: string }
  readonly pr?: NonNullable<Requested['pr']>
  /** What the first step is told before it begins. */
  readonly feedback?: readonly Feedback[]
  /** Names for that, so that no other run is told the same. */
  readonly heard?: { readonly pr: number; readonly ids: readonly string[] }
  /** The run whose pull request this one goes on with. */
  readonly continues?: string
  /** What the action `archive` moves, instead of what the branch has added. */
  readonly documents?: { readonly of: string; readonly paths: readonly string[] }
  /** Where a provider's quota is used up, until it is there again. */
  readonly wait?: boolean
}

/** Everything is checked before anything is made: a run that cannot work leaves nothing behind. */
export async function startRun(surroundings: Surroundings, request: RunRequest): Promise<RunOutcome> {
  const project = await openProject(surroundings.cwd, surroundings.env)
  const plan = await planRun(project, surroundings, request)
  await checkStart(project, plan)
  const providers = providersOf(plan.loaded.workflow)
  for (const name of providers) await plan.provider(name).check()
  const walls = await raiseWalls(surroundings, { ...plan, providers })
  const folder = await claimRunFolder(project.runsDir, await usedRunNumbers(project.repo))
  const values = { ...plan.values, task_id: folder.id, run: folder.id }
  try {
    await excludeFromClone(project.repo, '.baton/runs/')
    const wait = request.wait === true
    return await begin({ project, plan: { ...plan, values }, folder, surroundings, walls, wait })
  } catch (error) {
    if (!(await hasBranch(folder))) await discard(folder)
    throw error
  }
}

interface Plan {
  readonly settings: Settings
  readonly loaded: LoadedWorkflow
  readonly values: JsonObject
  readonly mode?: string
  readonly script?: ScriptSource
  readonly provider: Workplace['provider']
  readonly requested: Workplace['requested']
}

async function planRun(project: Project, surroundings: Surroundings, request: RunRequest): Promise<Plan> {
  const { settings, loaded } = await loadAll(project.layers, { flags: request.flags, env: surroundings.env })
  const { workflow } = loaded
  const next = await nextNames(project.repo, workflow.inputs, settings.base)
  const given = { ...next, ...request.inputs, ...named(workflow.inputs, request, settings) }
  const mode = resolveMode(workflow, request.mode)
  const inputs = resolveInputs(workflow, given)
  const task = textOf(inputs['task'] ?? inputs['goal'] ?? inputs['description'] ?? request.task)
  const slug = slugOf(task)
  const script = await scriptOf(request.script ?? settings.script)
  const deliver = textOf(inputs['deliver'] ?? settings.deliver)
  const requested = await requestedOf({ project, surroundings, settings, deliver }, request)
  return {
    ...{ settings, loaded, requested, provider: openProviders(surroundings, settings, script) },
    values: {
      ...inputs,
      task,
      slug,
      feat: featureOf(slug),
      mode: mode.name ?? '',
      ...(deliver === '' ? {} : { deliver }),
      ...broughtAlong(request),
    },
    ...defined('mode', mode.name),
    ...(script === undefined ? {} : { script }),
  }
}

interface Asking {
  readonly project: Project
  readonly surroundings: Surroundings
  readonly settings: Settings
  readonly deliver: string
}

async function requestedOf(
  { project, surroundings, settings, deliver }: Asking,
  { from, pr }: RunRequest,
): Promise<Requested> {
  const outside = openOutside(project.repo, settings, surroundings)
  const isWatched = surroundings.askPerson !== undefined && surroundings.staysWaiting !== true
  return {
    ...{ ...defined('base', settings.base), ...defined('from', from) },
    remote_check: await chooseRemoteCheck(outside, settings, { deliver, isWatched }),
    ...(deliver === 'pr' ? { follows_remote: true } : {}),
    ...(pr === undefined ? {} : { pr }),
  }
}

function broughtAlong({ source, feedback, heard, documents, continues }: RunRequest): JsonObject {
  return {
    ...(source === undefined ? {} : { source: source.url, ...defined('closes', source.closes) }),
    ...(feedback === undefined ? {} : { told_before: feedback.map((one) => ({ ...one })) }),
    ...defined('continues', continues),
    ...(heard === undefined ? {} : { heard: { pr: heard.pr, ids: [...heard.ids] } }),
    ...(documents === undefined ? {} : { documents: { of: documents.of, paths: [...documents.paths] } }),
  }
}

/** The task, the mode and the way of delivery have flags of their own, where the workflow has such an input. */
function named(
  inputs: Readonly<Record<string, unknown>>,
  request: RunRequest,
  settings: Settings,
): Record<string, string> {
  const flags = {
    task: request.task,
    goal: request.task,
    description: request.task,
    mode: request.mode,
    deliver: settings.deliver,
    time_limit: request.flags.time_limit,
  }
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) =>
      value === undefined || !(name in inputs) ? [] : [[name, value]],
    ),
  )
}

/** Without its text where it cannot be read: whoever needs it says so. */
async function scriptOf(file: string | undefined): Promise<ScriptSource | undefined> {
  if (file === undefined) return undefined
  const text = await readIfFile(file)
  return text === undefined ? { file } : { file, text }
}

async function checkStart(project: Project, plan: Plan): Promise<void> {
  await resolveBase(project.repo, plan.requested.base)
  const { from } = plan.requested
  if (from === undefined || (await resolveCommit(project.repo, from)) !== undefined) return
  throw new FailureError({
    code: 'from.missing',
    message: `The starting point '${from}' is not a commit of this repository.`,
    next: 'Choose one from: git log --oneline',
  })
}

interface Beginning {
  readonly project: Project
  readonly plan: Plan
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly walls: Walls
  readonly wait: boolean
}

async function begin({ project, plan, folder, surroundings, walls, wait }: Beginning): Promise<RunOutcome> {
  const { loaded, settings, values, mode, script, provider, requested } = plan
  const record: RunRecord = {
    ...{ values, requested },
    ...defined('mode', mode),
    ...(settings.timeLimitMs === undefined ? {} : { time_limit_ms: settings.timeLimitMs }),
    ...defined('script', script?.file),
  }
  const files = {
    'run.json': `${JSON.stringify(record, null, 2)}\n`,
    ...(script?.text === undefined ? {} : { 'script.yaml': script.text }),
  }
  const { digest } = await freezeRun(folder.frozen, { loaded, settings, files })
  const opening = {
    type: 'run.started' as const,
    ...{ run: folder.id, workflow: loaded.workflow.name, digest, version: version() },
    ...{ task: textOf(values['task']), mode: mode ?? '', inputs: values },
    ...wallsFact(walls, settings),
  }
  const workplace = workplaceOf({
    ...{ project, folder, surroundings, provider, loaded, settings, requested, walls, wait },
  })
  return openSession({ project, folder, surroundings, workplace, record, opening })
}

export interface Furnishing {
  readonly project: Project
  readonly folder: RunFolder
  readonly surroundings: Surroundings
  readonly provider: Workplace['provider']
  readonly loaded: LoadedWorkflow
  readonly settings: Settings
  readonly requested: Workplace['requested']
  readonly walls: Walls
  readonly wait: boolean
}

export function workplaceOf(from: Furnishing): Workplace {
  const { project, folder, surroundings, provider, loaded, settings, requested, walls, wait } = from
  return {
    ...{
      repo: project.repo,
      folder,
      workflow: loaded.workflow,
      settings,
      clock: surroundings.clock,
      provider,
      requested,
      walls,
      wait,
      quotas: new Map(),
    },
    prompts: Object.fromEntries(Object.entries(loaded.prompts).map(([name, { text }]) => [name, text])),
    schemas: Object.fromEntries(
      Object.entries(loaded.schemas).map(([name, { value }]): [string, Json] => [name, value]),
    ),
    env: checkEnvironment(surroundings.env),
    ...(surroundings.onActivity ? { onActivity: surroundings.onActivity } : {}),
    outside: openOutside(project.repo, settings, surroundings),
    keys: (variable) => surroundings.env[variable],
  }
}

/** Once there is a branch there is something to look at and to resume; before that, the run never was. */
async function hasBranch(folder: RunFolder): Promise<boolean> {
  return ((await readTextIfPresent(folder.journal)) ?? '').includes('"branch.created"')
}

async function discard(folder: RunFolder): Promise<void> {
  await rm(folder.dir, { recursive: true, force: true })
  await rm(folder.journal, { force: true })
}

function defined<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: string })
}
