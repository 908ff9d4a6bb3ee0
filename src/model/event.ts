import * as z from 'zod'
import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'

/** Facts of a run, in the past tense. Everything that is shown, reported or resumed is read from these. */
export const eventTypes = [
  'run.started',
  'run.resumed',
  'run.warned',
  'branch.created',
  'worktree.prepared',
  'step.started',
  'step.skipped',
  'agent.started',
  'agent.finished',
  'answer.accepted',
  'answer.refused',
  'agent.retried',
  'artifact.written',
  'commit.made',
  'check.finished',
  'gate.checked',
  'backlog.added',
  'branch.moved',
  'snapshot.made',
  'step.finished',
  'route.taken',
  'item.started',
  'item.finished',
  'person.asked',
  'person.answered',
  'said',
  'emitted',
  'checkpoint',
  'run.waiting',
  'run.stopped',
  'run.finished',
] as const

export type EventType = (typeof eventTypes)[number]

export interface RunEvent {
  readonly type: EventType
  /** Who speaks or acts: a role's title, or the engine. */
  readonly role: string
  readonly data: JsonObject
}

/** One line of the journal. Four keys, always (R003-79). */
export interface JournalLine extends RunEvent {
  readonly ts: string
}

const engineRole = 'ENGINE'

export const journalLineSchema = z.strictObject({
  ts: z.string(),
  role: z.string(),
  type: z.enum(eventTypes),
  // Kept as it was parsed: a copy by zod would lose the key `__proto__`, and a replay would see another value.
  data: z.custom<JsonObject>(isJsonObject, 'an object'),
})

export function engineEvent(type: EventType, data: JsonObject): RunEvent {
  return { type, role: engineRole, data }
}
