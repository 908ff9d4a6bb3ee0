import type { Route, Step } from '../model/workflow.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Outcome } from '../model/outcome.ts'
import { hasRun, lastAmong } from './ledger.ts'
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
  /** Resolves a limit that is written as a variable. */
  readonly limitOf: (limit: number | string) => number
}

export function chooseRoute(question: RouteQuestion): Move {
  const { step, result } = question
  const label = routeLabel(step, result)
  const route = label === undefined ? undefined : step.on[label]
  if (label !== undefined && route) return follow(question, route, `${step.id}/${label}`)
  return result.outcome === 'ok' ? onwards(question) : { type: 'end', outcome: result.outcome }
}

/** By label, then by outcome (or the one label that maps to it), then `else`. */
export function routeLabel(step: Step, result: StepResult): string | undefined {
  if (result.label !== undefined && result.label in step.on) return result.label
  if (result.outcome in step.on) return result.outcome
  const [only, ...others] = labelsFor(step, result.outcome).filter((label) => label in step.on)
  if (only !== undefined && others.length === 0) return only
  return result.outcome !== 'ok' && 'else' in step.on ? 'else' : undefined
}

function labelsFor(step: Step, outcome: Outcome): string[] {
  if (step.type !== 'agent') return []
  return Object.values(step.role.verdicts).flatMap((words) =>
    Object.entries(words).flatMap(([word, mapped]) => (mapped === outcome ? [word] : [])),
  )
}

/** `next`, else the following step, else the end of the list. */
export function onwards({ steps, step }: Pick<RouteQuestion, 'steps' | 'step'>): Move {
  const to = step.next ?? steps[steps.indexOf(step) + 1]?.id
  return to === undefined || to === 'end' ? { type: 'end', outcome: 'ok' } : { type: 'go', to }
}

function follow(question: RouteQuestion, route: Route, key: string): Move {
  const { ledger } = question
  if (route.once && hasRun(ledger, route.target)) return otherwise(question, route, key)
  if (route.limit === undefined)
    return take(question, { key, route, count: (ledger.counts.get(key) ?? 0) + 1 })
  const limit = question.limitOf(route.limit)
  const count = (ledger.counts.get(key) ?? 0) + 1
  const tooDeep = route.maxDepth !== undefined && question.depth >= route.maxDepth
  if (count > limit || tooDeep) return otherwise(question, route, key)
  return take(question, { key, route, count, limit })
}

/** `then` of a used-up route: a route of its own, or (for `once`) another label of the same `on`. */
function otherwise(question: RouteQuestion, route: Route, key: string): Move {
  const { step } = question
  if (!route.then) return { type: 'end', outcome: failing(question.result.outcome) }
  const sibling = step.on[route.then.target]
  const isStep = question.steps.some(({ id }) => id === route.then?.target)
  if (sibling && !isStep) return follow(question, sibling, `${step.id}/${route.then.target}`)
  return follow(question, route.then, `${key}/then`)
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
    default:
      return { type: 'go', to: destination(question, route.target), taken }
  }
}

function destination({ step, ledger }: RouteQuestion, target: string): string {
  if (target !== 'author') return target
  const author = lastAmong(
    ledger,
    step.reads.filter((name) => name !== step.id),
  )
  // The loader refuses `author` on a step that reads no step; that none of them has run yet cannot be seen there.
  return author ?? step.id
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
  ledger.counts.set(taken.key, taken.count)
  const from = steps.findIndex(({ id }) => id === to)
  const until = steps.indexOf(step)
  for (const passed of from === -1 ? [] : steps.slice(from, until)) resetCounts(ledger, passed.id)
}

export function resetCounts(ledger: Ledger, step: string): void {
  for (const key of ledger.counts.keys()) {
    if (key.startsWith(`${step}/`)) ledger.counts.delete(key)
  }
}
