import type { DurableContext, Instant } from '../model/durable.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Feedback, Performer, StepResult } from '../model/step-result.ts'
import { stepVariables } from '../model/built-in-names.ts'
import type { Step, Workflow } from '../model/workflow.ts'
import { expandValue, lookUp } from '../model/template.ts'
import type { SpendingLimits } from '../model/spending.ts'
import type { Tally } from '../model/usage.ts'
import type { Ledger } from './ledger.ts'
import type { PhaseClock } from './phases.ts'
import type { Watch } from './watch.ts'
import { stepValues } from './values.ts'

/** Everything that one list of steps runs in. Inner lists get a frame of their own, derived from the outer one. */
export interface Frame {
  readonly context: DurableContext
  readonly performer: Performer
  readonly workflow: Workflow
  /** Names of the run: inputs, paths, branch. */
  readonly values: JsonObject
  /** Prefix of the durable keys, unique to this list: '' at the top, `work/T1/` in an item. */
  readonly prefix: string
  /** The same without the numbers of visits: one item, or one caller of a fragment, stays one place. */
  readonly place: string
  readonly depth: number
  readonly deadline?: Instant
  /** Whether the deadline is the run's own: passing it ends the run, not only the step. */
  readonly runDeadline?: Instant
  readonly runStart: Instant
  /** How long nobody ran the run: the engine's clock stood still then. */
  readonly pausedMs?: number
  /** When the process that runs it took it up. */
  readonly resumedAt?: Instant
  readonly phases: PhaseClock
  /** The time of the item that this list stands in, from and until. */
  readonly box?: { readonly from: Instant; readonly deadline: Instant }
  /** What laps of routes with a budget took so far, by place. */
  readonly laps: Map<string, number>
  /** Tip of the task branch when the item began; undefined outside of one. */
  readonly since: string | undefined
  readonly watch: Watch
  readonly ledger: Ledger
  /** How often each step has been visited in the whole run, by place and id. */
  readonly visits: Map<string, number>
  readonly feedback: readonly Feedback[]
  /** Values of the run that steps have set. */
  readonly assigned: Map<string, Json>
  /** What the agents of the run have used so far, in whatever list they worked. */
  readonly spent: { tally: Tally }
  readonly limits: SpendingLimits
  /** What people have said to this run, oldest first. */
  readonly said: string[]
}

export interface ListRun {
  readonly steps: readonly Step[]
  readonly from?: string
  /** Where the mode begins, if the list begins later this time. */
  readonly first?: string
  /** A mode may stop after a step; a route that leads out of it ends the list too. */
  readonly until?: string
  /** What an earlier stretch of the run has left to say to one of the steps. */
  readonly pending?: Onto
}

/** Where a list goes on that stopped before its end, and with what. */
export interface Onto {
  readonly to: string
  readonly feedback: readonly Feedback[]
}

/** Passed on to whoever needs a list inside a list, so that no two files import each other. */
export type RunList = (frame: Frame, run: ListRun) => Promise<ListEnd>

/** How a list ended, and because of which step. */
export interface ListEnd {
  readonly result: StepResult
  readonly step: string
  /** By `continue`: the item is done with, whatever attempts it has left. */
  readonly continued?: boolean
  /** Where it would have gone on, had the mode not ended. */
  readonly onto?: Onto
}

/** An input keeps its name where a step has the same one: `when: { archive: before_push }` on the step `archive`. */
export function valuesIn(frame: Frame, local: JsonObject = {}): JsonObject {
  const { workflow, ledger, values, assigned } = frame
  // Not spread: this is asked once a step or oftener, and with so many names that is twenty times slower.
  const set = assigned.size === 0 ? undefined : Object.fromEntries(assigned)
  return Object.assign({}, nothingYet(workflow), stepValues(ledger), values, set, local)
}

/** Names that the loader allows and that have no value here: a step that has not run, a commit before it is made. */
function nothingYet(workflow: Workflow): JsonObject {
  const known = emptyNames.get(workflow)
  if (known) return known
  const lists = [workflow.steps, ...Object.values(workflow.fragments)].flat()
  const names = [...lists.map(({ id }) => id), ...stepVariables]
  const empty = Object.fromEntries(names.map((name) => [name, '']))
  emptyNames.set(workflow, empty)
  return empty
}

/** The same for all steps of a run. */
const emptyNames = new WeakMap<Workflow, JsonObject>()

/** Limits and attempts may be written as a variable. Anything that is no whole number counts as zero. */
export function countIn(frame: Frame, count: number | string): number {
  const value = typeof count === 'number' ? count : Number(expandValue(count, valuesIn(frame)))
  return Number.isInteger(value) && value > 0 ? value : 0
}

/** `each: plan.tasks` names a list in a step's answer. */
export function listIn(frame: Frame, expression: string): readonly Json[] | undefined {
  const path = expression.replaceAll(/^\{|\}$/g, '')
  const found = lookUp(path, valuesIn(frame)) ?? lookUp(path, stepValues(frame.ledger))
  return Array.isArray(found) ? found : undefined
}

/** Visits count over laps and attempts of the same item, so that review files never overwrite one another. */
export function nextVisit(frame: Frame, id: string): { visit: number; key: string } {
  const place = `${frame.place}${id}`
  const visit = (frame.visits.get(place) ?? 0) + 1
  frame.visits.set(place, visit)
  return { visit, key: `${frame.prefix}${id}#${visit}` }
}

export function plainResult(outcome: StepResult['outcome'], more: Partial<StepResult> = {}): StepResult {
  return { outcome, writes: [], gates: [], facts: {}, ...more }
}
