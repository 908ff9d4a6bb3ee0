import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { StepFile } from '../model/step-file.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import { readIfFile } from './find-files.ts'
import type { Layer } from './layers.ts'
import { failureOf } from './problems.ts'
import { defined } from './records.ts'
import { parseYamlDocument, problemAt } from './yaml-document.ts'
import { readAs } from './zod-problems.ts'

const duration = z.number().gt(0)

const schemas = {
  agents: z.record(
    z.string(),
    z.strictObject({
      model: z.string().optional(),
      provider: z.string().optional(),
      prompt: z.string().optional(),
      system: z.string().optional(),
    }),
  ),
  policies: z.strictObject({
    max_task_retries: z.int().min(0).max(20).optional(),
    // It cannot be switched off: whoever writes false would believe otherwise.
    file_access: z.strictObject({ restrict_to_workspace: z.literal(true).optional() }).optional(),
    timeouts: z
      .strictObject({
        per_agent_seconds: duration.optional(),
        subprocess_seconds: duration.optional(),
        global_seconds: duration.optional(),
      })
      .optional(),
  }),
  tasks: z.strictObject({ goal: z.string().min(1).optional() }),
} as const

type Agents = z.infer<typeof schemas.agents>
type Policies = z.infer<typeof schemas.policies>

/**
 * Files of the project that a workflow names under `project`, laid over it: who plays the roles, how long things may
 * take, what the goal is (C-44). What they say is enforced; what could not be is refused.
 */
export async function withProjectConfig(file: WorkflowFile, layers: readonly Layer[]): Promise<WorkflowFile> {
  const project = layers.find(({ name }) => name === 'project')
  if (!file.project || !project) return file
  const root = dirname(project.dir)
  const agents = await read(root, file.project.agents, schemas.agents)
  const policies = await read(root, file.project.policies, schemas.policies)
  const tasks = await read(root, file.project.tasks, schemas.tasks)
  const named = agents ? await withAgents(file, agents, join(root, file.project.agents ?? '')) : file
  const held = policies ? withPolicies(named, policies) : named
  const goal = tasks?.goal
  if (goal === undefined || !held.inputs?.['goal']) return held
  return {
    ...held,
    inputs: { ...held.inputs, goal: { ...held.inputs['goal'], default: goal, required: false } },
  }
}

/** Prompts that `agents.yaml` names are files of the project; the workflow's own names are not looked for there. */
export function withProjectPrompts(file: WorkflowFile, layers: readonly Layer[]): readonly Layer[] {
  const project = layers.find(({ name }) => name === 'project')
  if (!file.project || !project) return layers
  return [...layers, { ...project, prompts: dirname(project.dir) }]
}

async function read<T>(root: string, path: string | undefined, schema: z.ZodType<T>): Promise<T | undefined> {
  const place = path === undefined ? undefined : join(root, path)
  const text = place === undefined ? undefined : await readIfFile(place)
  if (place === undefined || text === undefined || text.trim() === '') return undefined
  const document = await parseYamlDocument(place, text)
  const { value, problems } = readAs(document, schema)
  if (value === undefined) throw failureOf(problems, 'project.invalid')
  return value
}

async function withAgents(file: WorkflowFile, agents: Agents, place: string): Promise<WorkflowFile> {
  const roles = { ...file.roles }
  for (const [name, keys] of Object.entries(agents)) {
    if (!roles[name]) throw await unknownRole(name, place, Object.keys(roles))
    roles[name] = { ...roles[name], ...defined(keys) }
  }
  return { ...file, roles }
}

async function unknownRole(name: string, place: string, known: readonly string[]) {
  const document = await parseYamlDocument(place, (await readIfFile(place)) ?? '')
  const finding = { path: [name], atKey: true, message: `there is no role '${name}'` }
  return failureOf(
    [problemAt(document, { ...finding, fix: `write one of ${known.join(', ')}` })],
    'project.invalid',
  )
}

function withPolicies(
  file: WorkflowFile,
  { max_task_retries: retries, timeouts = {} }: Policies,
): WorkflowFile {
  const { per_agent_seconds: agent, subprocess_seconds: check, global_seconds: whole } = timeouts
  const change = (step: StepFile): StepFile => ({
    ...step,
    ...(step.check !== undefined && check !== undefined ? { timeout: wall(check) } : {}),
    ...(step.agent !== undefined && agent !== undefined
      ? { timeout: { ...step.timeout, ...wall(agent) } }
      : {}),
    ...(step.each !== undefined && retries !== undefined ? { attempts: retries + 1 } : {}),
    ...(Array.isArray(step.steps) ? { steps: step.steps.map(change) } : {}),
  })
  return {
    ...file,
    steps: file.steps.map(change),
    ...(whole === undefined ? {} : { budget: { ...file.budget, time: `${whole}s` } }),
  }
}

function wall(seconds: number): { wall: string } {
  return { wall: `${seconds}s` }
}
