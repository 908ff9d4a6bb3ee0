import type { StepRequest } from '../model/step-result.ts'
import { expand, expandValue } from '../model/template.ts'
import { textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { pathProblem } from '../model/safe-path.ts'
import type { AgentStep, WriteSpec } from '../model/workflow.ts'
import { buildPrompt, inputsOf } from './build-prompt.ts'
import type { PromptInput } from './build-prompt.ts'
import type { StartingPoint } from './starting-point.ts'
import { inWorkspace, workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

type AgentRequest = StepRequest & { readonly step: AgentStep }

export interface PromptRequest {
  readonly site: Site
  readonly request: AgentRequest
  readonly start: StartingPoint
  readonly inputs: Readonly<Record<string, PromptInput>>
  /** The project's own, for every agent. */
  readonly instructions?: string
  /** What a person has written down for the run. */
  readonly notes?: string
}

/** The final prompt of a step, from the workflow's files and the run's facts. */
export function promptFor(asked: PromptRequest): string {
  const { site, request, start, inputs, instructions = '', notes } = asked
  const { step, values } = request
  const { role } = step
  const schema = role.output === undefined ? undefined : site.schemas[role.output]
  const given = Object.entries(step.with).map(
    ([name, value]) => [expand(name, values), expandValue(value, values)] as const,
  )
  const system = role.system === undefined ? undefined : site.prompts[role.system]
  return buildPrompt({
    role,
    base: expand(site.prompts[role.prompt] ?? '', values),
    ...(system === undefined ? {} : { system: expand(system, values) }),
    task: taskOf(request),
    instructions,
    ...besides(textOf(values['source']), notes),
    facts: factsFor(site, request, start),
    feedback: request.feedback,
    ...guidanceFor(site, request),
    inputs: inputsOf(request.reads, inputs),
    with: Object.fromEntries(given),
    writes: writesOf(request),
    mayWrite: scopeOf(request),
    ...(schema === undefined ? {} : { schema }),
  })
}

function besides(source: string, notes = ''): { source?: string; notes?: string } {
  return { ...(source === '' ? {} : { source }), ...(notes === '' ? {} : { notes }) }
}

/** Whatever the workflow calls what was asked for. */
function taskOf({ values }: AgentRequest): string {
  return textOf(values['task'] ?? values['goal'] ?? values['description'])
}

/** What the supervision has to say, in the words of the level's own file. */
function guidanceFor(site: Site, { guidance, values }: AgentRequest): { guidance?: string } {
  if (!guidance) return {}
  const text = expand(site.prompts[guidance.prompt] ?? '', { ...values, ...guidance.values })
  return { guidance: text }
}

export function writesOf({ step, values }: StepRequest): WriteSpec[] {
  return step.writes.map((write) => ({ ...write, path: expand(write.path, values) }))
}

/** What the step may change, relative to the worktree. */
export function scopeOf(request: AgentRequest): string[] {
  const patterns = editScopeOf(request)
  if (request.step.role.edits === 'agent') return patterns
  const folder = workspaceOf(request.workflow, request.values)
  return patterns.map((pattern) => inWorkspace(folder, pattern))
}

/** The same, relative to where the paths of an answer are. A list, out of an answer, is paths and no patterns. */
export function editScopeOf({ step, values }: AgentRequest): string[] {
  return step.role.mayWrite.flatMap((pattern) => {
    const value = expandValue(pattern, values)
    if (!Array.isArray(value)) return [expand(pattern, values)]
    return value.map((path: Json) => textOf(path)).filter((path) => pathProblem(path) === undefined)
  })
}

function factsFor(site: Site, { visit, mergeHead }: AgentRequest, start: StartingPoint): string[] {
  return [
    `Your working directory is the task's own worktree, on branch '${site.task.branch}' at commit ${start.tip}.`,
    `The branch will be merged into '${site.base.name}'.`,
    ...(mergeHead === undefined
      ? []
      : [`'${site.base.name}' (commit ${mergeHead}) is being merged; git calls it BASE_HEAD.`]),
    ...(visit > 1 ? [`This is round ${visit} of this step.`] : []),
    ...Object.entries(site.ports).map(
      ([name, port]) => `The environment variable ${name} is a free port for you: ${port}.`,
    ),
  ]
}
