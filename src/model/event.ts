import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'

/** Facts of a run, in the past tense. Everything that is shown, reported or resumed is read from these. */
export const eventTypes = [
  'run.started',
  'run.resumed',
  'run.undone',
  'run.warned',
  'remote.checked',
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
  'branch.pushed',
  'pull_request.offered',
  'step.finished',
  'finding.repeated',
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

const knownTypes: ReadonlySet<unknown> = new Set(eventTypes)

/** By hand and not by a schema: a journal has thousands of lines, and reading them is what people wait for. */
export function isJournalLine(value: unknown): value is JournalLine {
  if (!isJsonObject(value) || Object.keys(value).length !== 4) return false
  const { ts, role, type, data } = value
  return typeof ts === 'string' && typeof role === 'string' && knownTypes.has(type) && isJsonObject(data)
}

export function engineEvent(type: EventType, data: JsonObject): RunEvent {
  return { type, role: engineRole, data }
}
