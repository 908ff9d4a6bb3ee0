import * as z from 'zod'
import { outcomes } from './outcome.ts'
import { hosts } from './settings.ts'
import {
  delay,
  duration,
  emits,
  emitted,
  gate,
  name,
  says,
  scalar,
  text,
  variable,
} from './workflow-file-values.ts'

/** A step as a workflow file writes it: its own keys, those of its role, and where it leads. */

const count = z.union([z.int().min(0), z.string().regex(variable, 'a whole number or one {variable}')])

const share = z.union([z.number().gt(0).max(1), duration])

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

export const routes = z.record(z.string(), route)

export const capabilities = ['read', 'edit', 'shell', 'commit', 'merge', 'investigate', 'web_search'] as const

const timeout = z.strictObject({
  wall: duration.optional(),
  idle: duration.optional(),
  tool: duration.optional(),
})

const retry = z.strictObject({
  max_attempts: z.int().min(1).max(20),
  delay: delay.optional(),
  backoff: z.number().min(1).max(10).optional(),
})

export const roleKeys = {
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

export const step: z.ZodType<StepFile> = z.lazy(() =>
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

export type RoleFile = z.infer<z.ZodObject<typeof roleKeys>>

export interface StepFile extends StepKeys, RoleFile {
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
