import * as z from 'zod'
import { duration, emits, emitted, gate, name, says, scalar, text, variable } from './workflow-file-values.ts'
import { roleKeys, routes, step } from './step-file.ts'
import { projectKinds } from './workflow.ts'

/** A workflow file as it is written (YAML or JSON). Every object is strict: an unknown key is an error. */

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
  no_tests: z.union([z.enum(['warn', 'fail']), z.string().regex(variable)]).optional(),
  result_keys: z.union([z.enum(['pytest', 'test']), z.string().regex(variable)]).optional(),
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
