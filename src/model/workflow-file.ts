import * as z from 'zod'
import { ownType } from './event.ts'
import { outcomes } from './outcome.ts'
import { parseDuration } from './duration.ts'
import { hosts } from './settings.ts'
import { projectKinds } from './workflow.ts'

/** A workflow file as it is written (YAML or JSON). Every object is strict: an unknown key is an error. */

const text = z.string()
const name = z.string().regex(/^[A-Za-z_][\w-]*$/, 'a name: letters, digits, _ and -')
const duration = z.string().refine((value) => isTemplate(value) || parseDuration(value) !== undefined, {
  message: 'a duration such as 90s, 30m or 2h',
})
const count = z.union([z.int().min(0), z.string().regex(/^\{[\w.]+\}$/, 'a whole number or one {variable}')])
const scalar = z.union([z.string(), z.number(), z.boolean()])

const share = z.union([z.number().gt(0).max(1), duration])

const timeout = z.strictObject({
  wall: duration.optional(),
  idle: duration.optional(),
  tool: duration.optional(),
})

const retry = z.strictObject({
  max_attempts: z.int().min(1).max(20),
  delay: duration.optional(),
  backoff: z.number().min(1).max(10).optional(),
})

export const capabilities = ['read', 'edit', 'shell', 'commit', 'merge', 'investigate', 'web_search'] as const

/** `says` and `emits` are tables by moment: start, commit, end, a label, an outcome, else. */
const says = z.record(z.string(), z.string())
const ownName = name.refine((value) => ownType(value) !== undefined, {
  message: "a name of your own: this one is an event of Baton's",
})
const emittedData = z.record(z.string(), z.json()).refine((data) => !Object.hasOwn(data, 'key'), {
  message: "data without 'key', which is the journal's own",
})
const emitted = z.union([ownName, z.strictObject({ type: ownName, data: emittedData.optional() })])
const emits = z.record(z.string(), emitted)

const route: z.ZodType<RouteFile> = z.lazy(() =>
  z.union([
    text,
    z.strictObject({
      to: text.optional(),
      call: text.optional(),
      feedback: text.optional(),
      limit: count.optional(),
      once: z.boolean().optional(),
      then: route.optional(),
      max_depth: z.int().min(1).optional(),
      budget: share.optional(),
      emits: emitted.optional(),
    }),
  ]),
)

export type RouteFile =
  | string
  | {
      to?: string | undefined
      call?: string | undefined
      feedback?: string | undefined
      limit?: number | string | undefined
      once?: boolean | undefined
      then?: RouteFile | undefined
      max_depth?: number | undefined
      budget?: number | string | undefined
      emits?: z.infer<typeof emitted> | undefined
    }

const routes = z.record(z.string(), route)

const roleKeys = {
  title: text.optional(),
  prompt: text.optional(),
  system: text.optional(),
  provider: text.optional(),
  model: text.optional(),
  fallback: text.optional(),
  capabilities: z.array(z.enum(capabilities)).optional(),
  may_write: z.array(text).optional(),
  network: z.union([z.enum(['none', 'provider']), hosts]).optional(),
  commits: z.enum(['agent', 'engine']).optional(),
  edits: z.enum(['agent', 'engine']).optional(),
  answer: z.enum(['json_tail', 'json_only']).optional(),
  output: text.optional(),
  verdicts: z.record(z.string(), z.record(z.string(), z.enum(outcomes))).optional(),
  feedback: text.optional(),
  retry: retry.optional(),
  repair: z.int().min(0).max(10).optional(),
  timeout: timeout.optional(),
}

const otherwise = z.enum(['answer', 'kept'])
const write = z.union([
  text,
  z.strictObject({ path: text, or: z.union([otherwise, z.array(otherwise)]).optional() }),
])

const gate = z.union([name, z.record(z.string(), z.json())])

const stepKeys = {
  when: z.record(z.string(), z.union([scalar, z.array(scalar)])).optional(),
  reads: z.array(text).optional(),
  writes: z.union([write, z.array(write)]).optional(),
  with: z.record(z.string(), z.json()).optional(),
  gates: z.array(gate).optional(),
  phase: text.optional(),
  budget: z
    .strictObject({ time: z.union([z.literal('even'), z.number().gt(0).max(1), duration]) })
    .optional(),
  on: routes.optional(),
  next: text.optional(),
  says: says.optional(),
  emits: emits.optional(),
  sets: z.record(name, text).optional(),
}

const step: z.ZodType<StepFile> = z.lazy(() =>
  z.strictObject({
    id: name,
    agent: text.optional(),
    check: z.union([text, z.array(text)]).optional(),
    do: text.optional(),
    each: text.optional(),
    ask: text.optional(),
    verify: text.optional(),
    steps: z.union([text, z.array(step)]).optional(),
    only: text.optional(),
    attempts: count.optional(),
    ...stepKeys,
    ...roleKeys,
  }),
)

type StepKeys = z.infer<z.ZodObject<typeof stepKeys>>
type RoleKeys = z.infer<z.ZodObject<typeof roleKeys>>

export type RoleFile = RoleKeys

export interface StepFile extends StepKeys, RoleKeys {
  id: string
  agent?: string | undefined
  check?: string | string[] | undefined
  do?: string | undefined
  each?: string | undefined
  ask?: string | undefined
  verify?: string | undefined
  steps?: string | StepFile[] | undefined
  only?: string | undefined
  attempts?: number | string | undefined
}

const input = z.strictObject({
  description: text.optional(),
  required: z.boolean().optional(),
  default: z.union([scalar, z.array(scalar)]).optional(),
  options: z.array(text).optional(),
  pattern: text.optional(),
  list: z.boolean().optional(),
  type: z.enum(['duration', 'number', 'text']).optional(),
  next: z
    .string()
    .regex(/^[\w./-]*\d\.\w+$/, 'a path whose name ends in a number, such as runs/plan_0001.json')
    .optional(),
  identifies: z.boolean().optional(),
})

const size = z.int().min(1)

const policy = z.strictObject({
  branch: text.optional(),
  worktree: text.optional(),
  network: z.literal('none').optional(),
  tests: z.enum(['read_only', 'may_write']).optional(),
  no_tests: z.union([z.enum(['warn', 'fail']), z.string().regex(/^\{[\w.]+\}$/)]).optional(),
  result_keys: z.union([z.enum(['pytest', 'test']), z.string().regex(/^\{[\w.]+\}$/)]).optional(),
  limits: z
    .strictObject({ text: size.optional(), content: size.optional(), answer: size.optional() })
    .optional(),
  cut: z.strictObject({ above: size, head: size, between: text, tail: size }).optional(),
})

const check = z.strictObject({
  command: z.array(text).min(1),
  labels: z.record(z.string().regex(/^\d+$/), text).optional(),
  kinds: z.array(z.enum(projectKinds)).optional(),
})

const mode = z.strictObject({
  from: text,
  to: text.optional(),
  description: text.optional(),
  takes: z.array(name).optional(),
  starts: z.boolean().optional(),
})

/** A gate of the file's own: what the engine checks, then what the supervising role is asked. */
const gateDefinition = z.strictObject({
  conditions: z.array(gate).optional(),
  judged: z.array(text).min(1).optional(),
  score: z.number().min(0).max(100).optional(),
  no_issue: text.optional(),
  of: z.enum(['item', 'run']).optional(),
  inconclusive: z.enum(['conditions', 'fail']).optional(),
})

const level = z.strictObject({
  level: name,
  score: z.number().min(0).max(100).optional(),
  issues: z.int().min(1).optional(),
  failed_items: z.strictObject({ max: z.int().min(1), share: z.number().gt(0).max(1) }).optional(),
  guidance: text.optional(),
  emits: emitted.optional(),
})

const supervision = z.strictObject({
  role: text,
  every: z.boolean().optional(),
  emits: emits.optional(),
  escalation: z.array(level).min(1).optional(),
  on: z.record(name, z.strictObject({ to: text, limit: z.int().min(0), then: z.literal('fail') })).optional(),
})

const phases = z.record(
  name,
  z.strictObject({
    share: z.number().gt(0).max(1),
    cap: duration.optional(),
    reserve: z.boolean().optional(),
  }),
)

const state = z.strictObject({
  start: text.optional(),
  status: z.record(z.string(), z.array(text)).optional(),
  ends: z.record(z.string(), text).optional(),
  metrics: z.record(z.string(), z.array(text)).optional(),
  item: z.record(z.string(), text).optional(),
})

export const workflowFileSchema = z.strictObject({
  $schema: text.optional(),
  name,
  description: text.optional(),
  inputs: z.record(name, input).optional(),
  modes: z.record(name, z.union([text, mode])).optional(),
  paths: z.record(name, text).optional(),
  policy: policy.optional(),
  checks: z.record(z.string(), check).optional(),
  project: z
    .strictObject({ agents: text.optional(), policies: text.optional(), tasks: text.optional() })
    .optional(),
  defaults: z
    .strictObject({ ...roleKeys, on: routes.optional(), says: says.optional(), emits: emits.optional() })
    .optional(),
  budget: z.strictObject({ time: duration.optional(), phases: phases.optional() }).optional(),
  gates: z.record(name, gateDefinition).optional(),
  supervision: supervision.optional(),
  state: state.optional(),
  says: says.optional(),
  emits: emits.optional(),
  roles: z.record(name, z.strictObject(roleKeys)).optional(),
  steps: z.array(step).min(1),
  fragments: z.record(name, z.array(step).min(1)).optional(),
})

export type WorkflowFile = z.infer<typeof workflowFileSchema>
export type GateFile = z.infer<typeof gateDefinition>
export type InputFile = z.infer<typeof input>

function isTemplate(value: string): boolean {
  return /^\{[\w.]+\}$/.test(value)
}
