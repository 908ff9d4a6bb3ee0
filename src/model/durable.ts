import type { Json } from './json.ts'
import type { RunEvent } from './event.ts'

/** A point in time: milliseconds since 1970, so that it survives JSON. */
export type Instant = number

/** Given to the act of a durable step. */
export interface Attempt {
  /** Ends when the run is cancelled or interrupted. */
  readonly signal: AbortSignal
  /** Writes a fact while the act is under way. A repeated act notes it again: notes inform, they decide nothing. */
  note(event: RunEvent): Promise<void>
}

/**
 * The one way in which the interpreter touches the world. Whatever implements it promises: an act whose value
 * was recorded is never run again; an act that was not recorded may run again; keys come in the same order in
 * every replay, or the run is refused.
 */
export interface DurableContext {
  readonly runId: string
  readonly signal: AbortSignal
  /** Runs the act once and records its value; in a replay gives the recorded value. */
  step<T extends Json>(key: string, act: (attempt: Attempt) => Promise<T>): Promise<T>
  /**
   * The same for an act that comes to the same when it is done again, whatever has happened since: its record
   * survives a kill at once, and a power cut together with the next step's.
   */
  repeatable<T extends Json>(key: string, act: (attempt: Attempt) => Promise<T>): Promise<T>
  /** A branch with keys of its own: the only way to do things side by side. */
  child<T extends Json>(key: string, branch: (context: DurableContext) => Promise<T>): Promise<T>
  /** What a person says to the run. Undefined once `withinMs` has passed; without a limit it waits or suspends the run. */
  message(key: string, question: Question): Promise<PersonMessage | undefined>
  sleep(key: string, until: Instant): Promise<void>
  now(key: string): Promise<Instant>
  /** Writes a fact once, however often the run is replayed. Made up only where it is needed, if it is a function. */
  record(key: string, event: RunEvent | (() => RunEvent)): Promise<void>
}

export interface Question {
  readonly step: string
  readonly text: string
  readonly verbs: readonly PersonVerb[]
  readonly withinMs?: number
}

export const personVerbs = ['approve', 'reject', 'answer'] as const

export type PersonVerb = (typeof personVerbs)[number]

export type PersonMessage = {
  readonly id: string
  /** The key of the question that the person saw. Absent if he answered at the terminal. */
  readonly to?: string
  readonly verb: PersonVerb
  readonly text: string
}

/** Thrown by `message` when nobody is there to answer: the run stops at a point from which it can go on. */
export class SuspendedError extends Error {
  readonly question: Question

  constructor(question: Question) {
    super(`waiting for a person: ${question.text}`)
    this.name = 'SuspendedError'
    this.question = question
  }
}

/** The run's own time is used up: always the end of the run, wherever it stands. */
export class TimeUsedUpError extends Error {
  constructor() {
    super('the time limit of the run is used up')
    this.name = 'TimeUsedUpError'
  }
}
