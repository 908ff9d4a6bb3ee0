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
  'stretch.started',
  'step.started',
  'step.skipped',
  'agent.started',
  'agent.finished',
  'tool.denied',
  'repository.changed',
  'answer.accepted',
  'answer.refused',
  'agent.retried',
  'provider.exhausted',
  'artifact.written',
  'commit.made',
  'check.finished',
  'gate.checked',
  'gate.judged',
  'level.raised',
  'level.routed',
  'backlog.added',
  'branch.moved',
  'snapshot.made',
  'branch.pushed',
  'pull_request.offered',
  'step.finished',
  'finding.repeated',
  'route.taken',
  'list.started',
  'item.started',
  'attempt.started',
  'item.finished',
  'person.asked',
  'person.answered',
  'said',
  'checkpoint',
  'run.waiting',
  'run.paused',
  'run.stopped',
  'run.finished',
] as const

export type EventType = (typeof eventTypes)[number]

declare const own: unique symbol

/** The name of an event that a workflow has given it itself. It has no dot, so that it is never one of ours. */
export type OwnType = string & { readonly [own]: true }

export interface RunEvent {
  readonly type: EventType | OwnType
  /** Who speaks or acts: a role's title, or the engine. */
  readonly role: string
  readonly data: JsonObject
}

/** One line of the journal. Four keys, always (R003-79). */
export interface JournalLine extends RunEvent {
  readonly ts: string
}

/** Who acts where nobody else does. */
export const engineRole = 'ENGINE'

const knownTypes: ReadonlySet<unknown> = new Set(eventTypes)

/** By hand and not by a schema: a journal has thousands of lines, and reading them is what people wait for. */
export function isJournalLine(value: unknown): value is JournalLine {
  if (!isJsonObject(value)) return false
  const { ts, role, type, data } = value
  if (typeof ts !== 'string' || typeof role !== 'string' || !isType(type) || !isJsonObject(data)) return false
  let keys = 0
  for (const _ in value) keys += 1
  return keys === 4
}

function isType(type: unknown): boolean {
  return knownTypes.has(type) || (typeof type === 'string' && ownName.test(type))
}

const ownName = /^[A-Za-z_][\w-]*$/

/** Undefined for a name that is one of ours, or none. */
export function ownType(name: string): OwnType | undefined {
  return ownName.test(name) && !knownTypes.has(name) ? (name as OwnType) : undefined
}

/** Of a table by our own types. An event of a workflow's may have any name, that of a method of objects too. */
export function ofType<T>(
  table: Readonly<Partial<Record<EventType, T>>>,
  type: RunEvent['type'],
): T | undefined {
  return Object.hasOwn(table, type) ? table[type as EventType] : undefined
}

/** An event of the workflow's own, under its own name. The loader has refused names that are ours. */
export function ownEvent(name: string, role: string, data: JsonObject): RunEvent {
  const type = ownType(name)
  if (type === undefined) throw new Error(`'${name}' is no name for an event`)
  return { type, role, data }
}

/** A fact that is made up only once somebody wants it. */
export function eventOf(event: RunEvent | (() => RunEvent)): RunEvent {
  return typeof event === 'function' ? event() : event
}

export function engineEvent(type: EventType, data: JsonObject): RunEvent {
  return { type, role: engineRole, data }
}
