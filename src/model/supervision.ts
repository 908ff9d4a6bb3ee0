import type { JsonObject } from './json.ts'

/** A gate that a workflow defines: conditions that the engine checks, and points that a role is asked about. */
export interface GateDefinition {
  readonly name: string
  /** Put to the supervising role, word for word. */
  readonly points: readonly string[]
  readonly score?: number
  /** An issue of this severity closes the gate whatever the score. */
  readonly noIssue?: string
  /** What is judged: the item that the step stands in, or the whole run. */
  readonly of?: 'item' | 'run'
  /** What counts where nobody could be asked: the conditions, or nothing. */
  readonly inconclusive: 'conditions' | 'fail'
}

interface Emitted {
  readonly type: string
  readonly data?: JsonObject
}

export interface Supervision {
  readonly role: string
  readonly emits: Readonly<Record<string, Emitted>>
  /** The mildest first. */
  readonly escalation: readonly Level[]
  /** Where a level leads: to a step of the top list. */
  readonly on: Readonly<Record<string, LevelRoute>>
}

/** A level holds from a score, or number of issues in a row, or of failed items on. */
export interface Level {
  readonly level: string
  readonly score?: number
  readonly issues?: number
  readonly failedItems?: { readonly max: number; readonly share: number }
  /** Reference of a prompt file: what the next agent is told. */
  readonly guidance?: string
  readonly emits?: Emitted
}

export interface LevelRoute {
  readonly to: string
  readonly limit: number
  readonly then: string
}

/** A part of the run's time. */
export interface Phase {
  readonly share: number
  readonly cap?: string
  /** It may also use what the other phases do not need. */
  readonly reserve: boolean
}

export interface StateSpec {
  /** Word for the time before the first step. */
  readonly start?: string
  /** Words to the steps during which they hold. */
  readonly status: Readonly<Record<string, readonly string[]>>
  /** Outcome, level or `time` to the word for a run that ended so. */
  readonly ends: Readonly<Record<string, string>>
  /** Names to what they count: visits of a step, a step's route, `items`, `items.<outcome>`, `judged.<verdict>`. */
  readonly metrics: Readonly<Record<string, readonly string[]>>
  /** Fields of an item to the step whose answer they hold. */
  readonly item: Readonly<Record<string, string>>
}
