import { readIfFile } from '../config/find-files.ts'
import type { SettingsFlags } from '../config/gather-settings.ts'
import type { LoadedWorkflow } from '../config/loaded-workflow.ts'
import { defined } from '../config/records.ts'
import { resolveInputs, resolveMode } from '../config/run-inputs.ts'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Settings } from '../model/settings.ts'
import { featureOf, slugOf } from '../model/slug.ts'
import type { Feedback } from '../model/step-result.ts'
import type { Requested, Workplace } from '../steps/workplace.ts'
import { nextNames } from './next-names.ts'
import { chooseRemoteCheck, openOutside } from './outside.ts'
import type { Project } from './project.ts'
import { loadAll, openProviders } from './workbench.ts'
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

export interface RunPlan {
  readonly settings: Settings
  readonly loaded: LoadedWorkflow
  readonly values: JsonObject
  readonly mode?: string
  readonly script?: ScriptSource
  readonly provider: Workplace['provider']
  readonly requested: Requested
}

/** What a run would work with. Nothing is made yet. */
export async function planRun(
  project: Project,
  surroundings: Surroundings,
  request: RunRequest,
): Promise<RunPlan> {
  const { settings, loaded } = await loadAll(project.layers, { flags: request.flags, env: surroundings.env })
  const { workflow } = loaded
  const next = await nextNames(project.repo, workflow.inputs, settings.base)
  const given = { ...next, ...request.inputs, ...named(workflow.inputs, request, settings) }
  const mode = resolveMode(workflow, request.mode)
  const inputs = resolveInputs(workflow, given, request.flags.workflow)
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
    ...defined({ mode: mode.name, script }),
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
    ...defined({ base: settings.base, from }),
    remote_check: await chooseRemoteCheck(outside, settings, { deliver, isWatched }),
    ...(deliver === 'pr' ? { follows_remote: true } : {}),
    ...defined({ pr }),
  }
}

function broughtAlong({ source, feedback, heard, documents, continues }: RunRequest): JsonObject {
  return {
    ...defined({ source: source?.url, closes: source?.closes }),
    ...(feedback === undefined ? {} : { told_before: feedback.map((one) => ({ ...one })) }),
    ...defined({ continues }),
    ...(heard === undefined ? {} : { heard: { pr: heard.pr, ids: [...heard.ids] } }),
    ...(documents === undefined ? {} : { documents: { of: documents.of, paths: [...documents.paths] } }),
  }
}
