import type { Json } from '../../../src/model/json.ts'
import type { Files } from '../git.ts'
import type { Entry } from '../pipeline.ts'

/** Steps of the workflow of this corpus at which an agent can lie or a lie can come out. */
type StepName = 'plan' | 'plan_review' | 'code' | 'review' | 'resolve' | 'deliver'

/** An agent that claims what is not so. */
export interface Liar {
  readonly name: string
  /** What it does at every visit of its step. */
  readonly does: Entry
  /** The step that must not end ok. */
  readonly step: StepName
  /** The step in which the lie is told, where it can come out only later. */
  readonly told?: StepName
  /** The mode of the run; it begins at the step in which the lie is told if left out. */
  readonly mode?: StepName | 'plan_only'
  /** Outcome and label of the step; `repaired` where the lie is refused and an honest call makes the step end ok. */
  readonly ends: string
  /** What a person has to read. */
  readonly says: RegExp
  /** A file that the lie left behind, and that must be found in a snapshot after it was put back. */
  readonly keeps?: string
  /** Committed on main after the place where the task branch begins. */
  readonly later?: Files
}

/** Prints these words and nothing else. */
export function utters(prints: string): Entry {
  return { prints }
}

/** Lies at its first call, and corrects itself at the second. */
export function thenHonestly(lie: Entry, honest: Entry): Entry {
  return { calls: [lie, honest] }
}

/** A command of an agent that has to succeed. */
export function shell(line: string): Json {
  return { argv: ['sh', '-c', line], must: true }
}
