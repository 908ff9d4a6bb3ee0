import type { RouteFile } from '../model/step-file.ts'
import { authorsOf } from './check-routes.ts'
import { writtenRole } from './normalize-role.ts'
import { routesOf } from './outline.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding } from './problems.ts'

/** A step that no mode, route, `next` or order leads to is a mistake: somebody meant it to run. */
export function checkReachable(outline: Outline): Finding[] {
  const reached = reachedFrom(outline, beginnings(outline))
  return outline.lists.flatMap((list) => {
    const [first] = list.steps
    if (list.fragment !== undefined && first && !reached.has(first)) {
      const fix = 'call it, or remove it'
      return [{ path: list.path, atKey: true, message: `fragment '${list.fragment}' is never used`, fix }]
    }
    // The lists inside a step that cannot be reached are not told of again.
    if (first && !reached.has(first) && list.path.length > 1) return []
    return list.steps.filter((place) => !reached.has(place)).map(unreachable)
  })
}

function unreachable({ step, path }: StepPlace): Finding {
  const fix = 'lead a route to it, begin a mode there, or remove it'
  return { path: [...path, 'id'], message: `step '${step.id}' can never be reached`, fix }
}

function beginnings({ file, lists }: Outline): StepPlace[] {
  const top = lists[0]?.steps ?? []
  const modes = Object.values(file.modes ?? {}).map((mode) => (typeof mode === 'string' ? mode : mode.from))
  return modes.length === 0 ? top.slice(0, 1) : top.filter(({ step }) => modes.includes(step.id))
}

function reachedFrom(outline: Outline, from: readonly StepPlace[]): ReadonlySet<StepPlace> {
  const reached = new Set<StepPlace>()
  const waiting = [...from]
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (reached.has(place)) continue
    reached.add(place)
    waiting.push(...successors(outline, place), ...entered(outline, place))
  }
  return reached
}

function successors(outline: Outline, place: StepPlace): StepPlace[] {
  const { step, list, index } = place
  const targets = routesOf(outline, place).flatMap(({ route }) => targetsOf(route, place))
  const named = new Set([...targets, ...(step.next === undefined ? [] : [step.next])])
  const following = goesOn(outline, place) ? list.steps.slice(index + 1, index + 2) : []
  return [...list.steps.filter((other) => named.has(other.step.id)), ...following]
}

function targetsOf(route: RouteFile, place: StepPlace): string[] {
  const { to, then } = typeof route === 'string' ? { to: route, then: undefined } : route
  const own = to === 'author' ? authorsOf(place) : [to ?? '']
  return then === undefined ? own : [...own, ...targetsOf(then, place)]
}

/** The first steps of the lists that a step enters: those of its `each`, and fragments that its routes call. */
function entered(outline: Outline, place: StepPlace): StepPlace[] {
  const called = routesOf(outline, place).flatMap(({ route }) => callsOf(route))
  const { steps } = place.step
  const fragments = typeof steps === 'string' ? [...called, steps] : called
  const inner = [...place.path, 'steps'].join('/')
  return outline.lists
    .filter(({ fragment, path }) =>
      fragment === undefined ? path.join('/') === inner : fragments.includes(fragment),
    )
    .flatMap((list) => list.steps.slice(0, 1))
}

function callsOf(route: RouteFile): string[] {
  if (typeof route === 'string') return []
  return [
    ...(route.call === undefined ? [] : [route.call]),
    ...(route.then === undefined ? [] : callsOf(route.then)),
  ]
}

/** Whether the following step can come next: this one is passed over, or ends `ok` in a way that no route is for. */
function goesOn(outline: Outline, place: StepPlace): boolean {
  const { step } = place
  if (Object.keys(step.when ?? {}).length > 0) return true
  if (step.next !== undefined) return false
  const labels = routesOf(outline, place).map(({ label }) => label)
  if (labels.includes('ok')) return false
  const good = okWords(outline, place)
  return good.length === 0 || !good.every((word) => labels.includes(word))
}

function okWords({ file }: Outline, { step }: StepPlace): string[] {
  if (step.agent === undefined) return []
  const tables = Object.values(writtenRole(file, step.agent, step).verdicts ?? {})
  return tables.flatMap((words) => Object.keys(words).filter((word) => words[word] === 'ok'))
}
