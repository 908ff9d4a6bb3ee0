import { reservedTargets } from '../model/built-in-names.ts'
import type { Route, Step } from '../model/workflow.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Outcome } from '../model/outcome.ts'
import { hasRun, lastAmong, setCount } from './ledger.ts'
import type { Ledger } from './ledger.ts'

/** Where a list goes after a step. Decided here, from data alone; acted on by `runList`. */
export type Move =
  | { readonly type: 'go'; readonly to: string; readonly taken?: TakenRoute }
  | { readonly type: 'call'; readonly fragment: string; readonly taken: TakenRoute }
  | { readonly type: 'ask'; readonly taken?: TakenRoute }
  | { readonly type: 'continue' }
  | { readonly type: 'end'; readonly outcome: Outcome }

/** A route of `on:` that was followed, and how often by now. */
export interface TakenRoute {
  readonly key: string
  readonly route: Route
  readonly count: number
  readonly limit?: number
}

export interface RouteQuestion {
  readonly steps: readonly Step[]
  readonly step: Step
  readonly result: StepResult
  readonly ledger: Ledger
  readonly depth: number
  /** The review raises again what was dealt with. */
  readonly isRepeated?: boolean
  /** The time for all laps of its routes with a budget is used up. */
  readonly isSpent?: boolean
  /** Resolves a limit that is written as a variable. */
  readonly limitOf: (limit: number | string) => number
}

export function chooseRoute(question: RouteQuestion): Move {
  const { step, result } = question
  const label = routeLabel(step, result)
  const route = label === undefined ? undefined : step.on[label]
  if (label !== undefined && route) {
    const key = `${step.id}/${label}`
    return question.isRepeated === true ? insteadOfALap(question, route, key) : follow(question, route, key)
  }
  return result.outcome === 'ok' ? onwards(question) : { type: 'end', outcome: result.outcome }
}

/** By label, then by outcome (or the one label that maps to it), then `else`. */
export function routeLabel(step: Step, result: StepResult): string | undefined {
  const hasRoute = (label: string) => Object.hasOwn(step.on, label)
  if (result.label !== undefined && hasRoute(result.label)) return result.label
  if (hasRoute(result.outcome)) return result.outcome
  const [only, ...others] = labelsFor(step, result.outcome).filter(hasRoute)
  if (only !== undefined && others.length === 0) return only
  return result.outcome !== 'ok' && hasRoute('else') ? 'else' : undefined
}

function labelsFor(step: Step, outcome: Outcome): string[] {
  if (step.type !== 'agent') return []
  const labels = Object.values(step.role.verdicts).flatMap((words) =>
    Object.entries(words).flatMap(([word, mapped]) => (mapped === outcome ? [word] : [])),
  )
  return [...new Set(labels)]
}

/** One more lap over the same finding would end like the last: the step's own way out of that, or `then` at once. */
function insteadOfALap(question: RouteQuestion, route: Route, key: string): Move {
  const { step } = question
  const own = step.on['repeated']
  if (own) return follow(question, own, `${step.id}/repeated`)
  return route.limit === undefined ? follow(question, route, key) : otherwise(question, route, key)
}

/** `next`, else the following step, else the end of the list. */
export function onwards({ steps, step }: Pick<RouteQuestion, 'steps' | 'step'>): Move {
  const to = step.next ?? steps[steps.indexOf(step) + 1]?.id
  return to === undefined || to === 'end' ? { type: 'end', outcome: 'ok' } : { type: 'go', to }
}

function follow(question: RouteQuestion, route: Route, key: string): Move {
  const { ledger } = question
  if (isUsedUp(question, route)) return otherwise(question, route, key)
  const count = (ledger.counts?.get(key) ?? 0) + 1
  // A step that was passed over has not run, but leading to it once more would lead round for ever.
  if (route.once && (count > 1 || hasRun(ledger, route.target))) return otherwise(question, route, key)
  if (route.limit === undefined) return take(question, { key, route, count })
  const limit = question.limitOf(route.limit)
  if (count > limit || isTooDeep(question, route)) return otherwise(question, route, key)
  return take(question, { key, route, count, limit })
}

function isUsedUp({ isSpent }: RouteQuestion, { budget }: Route): boolean {
  return isSpent === true && budget !== undefined
}

function isTooDeep({ depth }: RouteQuestion, { type, maxDepth = deepest }: Route): boolean {
  return type === 'call' && depth >= maxDepth
}

/** Every call counts anew, so a fragment that calls itself needs an end also where the file gives none (C-60). */
const deepest = 3

/** `then` of a used-up route: a route of its own, or (for `once`) another label of the same `on`. */
function otherwise(question: RouteQuestion, route: Route, key: string): Move {
  if (!route.then) return { type: 'end', outcome: failing(question.result.outcome) }
  const { target } = route.then
  const sibling = siblingNamed(question, target)
  if (sibling) return follow(question, sibling, `${question.step.id}/${target}`)
  return follow(question, route.then, `${key}/then`)
}

/** A check may end with the label `fail`: as a target the reserved word is meant all the same. */
function siblingNamed({ step, steps }: RouteQuestion, target: string): Route | undefined {
  const isTarget =
    (reservedTargets as readonly string[]).includes(target) || steps.some(({ id }) => id === target)
  return !isTarget && Object.hasOwn(step.on, target) ? step.on[target] : undefined
}

function take(question: RouteQuestion, taken: TakenRoute): Move {
  const { route } = taken
  if (route.type === 'call') return { type: 'call', fragment: route.target, taken }
  switch (route.target) {
    case 'end':
      return { type: 'end', outcome: 'ok' }
    case 'fail':
      return { type: 'end', outcome: failing(question.result.outcome) }
    case 'ask':
      return { type: 'ask', taken }
    case 'continue':
      return { type: 'continue' }
    case 'author': {
      // The loader refuses `author` on a step that reads no step; that none of them has run cannot be seen there.
      const to = authorOf(question)
      return to === undefined ? otherwise(question, route, taken.key) : { type: 'go', to, taken }
    }
    default:
      return { type: 'go', to: route.target, taken }
  }
}

function authorOf({ step, ledger }: RouteQuestion): string | undefined {
  return lastAmong(
    ledger,
    step.reads.filter((name) => name !== step.id),
  )
}

function failing(outcome: Outcome): Outcome {
  return outcome === 'ok' ? 'failed' : outcome
}

/**
 * Counts after a route was taken. Going back over a step sets the counts of its routes to zero; the routes of
 * the step that sends back keep theirs, or no loop would ever end.
 */
export function countTaken(
  question: Pick<RouteQuestion, 'steps' | 'step' | 'ledger'>,
  taken: TakenRoute,
  to: string,
): void {
  const { steps, step, ledger } = question
  setCount(ledger, taken.key, taken.count)
  const from = steps.findIndex(({ id }) => id === to)
  const until = steps.indexOf(step)
  for (const passed of from === -1 ? [] : steps.slice(from, until)) resetCounts(ledger, passed.id)
}

/** Fragments are called for one item: the next item may call them as often again. */
export function resetCalls(ledger: Ledger, step: Step): void {
  for (const [label, route] of Object.entries(step.on)) {
    let key = `${step.id}/${label}`
    for (let one: Route | undefined = route; one; one = one.then) {
      if (one.type === 'call') ledger.counts?.delete(key)
      key += '/then'
    }
  }
}

export function resetCounts(ledger: Ledger, step: string): void {
  for (const key of ledger.counts?.keys() ?? []) {
    if (key.startsWith(`${step}/`)) ledger.counts?.delete(key)
  }
}
