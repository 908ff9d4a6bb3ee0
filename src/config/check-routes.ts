import { reservedTargets } from '../model/built-in-names.ts'
import type { RouteFile } from '../model/step-file.ts'
import { quoted, writeInstead } from './nearest.ts'
import { routesOf } from './outline.ts'
import type { Outline, RoutePlace, StepPlace } from './outline.ts'
import type { Finding, Path } from './problems.ts'

type RouteMap = Exclude<RouteFile, string>

/** Where a step goes: to what exists in its own list, and never round without an end. */
export function checkRoutes(outline: Outline): Finding[] {
  return outline.steps.flatMap((place) => {
    const routes = routesOf(outline, place)
    const labels = new Map(routes.map(({ label, route }) => [label, route]))
    return [
      ...routes.flatMap((route) => routeFindings({ outline, place, labels, name: route.label }, route)),
      ...nextFindings(place),
    ]
  })
}

interface Crossing {
  readonly outline: Outline
  readonly place: StepPlace
  /** The routes of the same `on`. */
  readonly labels: ReadonlyMap<string, RouteFile>
  readonly name: string
}

function routeFindings(crossing: Crossing, { route, path }: Pick<RoutePlace, 'route' | 'path'>): Finding[] {
  if (typeof route === 'string') return targetFindings(crossing, { to: route }, { path, target: path })
  if ((route.to === undefined) === (route.call === undefined)) {
    const message = `${titleOf(crossing)} needs either 'to' or 'call'`
    return [{ path, message, fix: "write 'to' with a step or 'call' with a fragment" }]
  }
  if (route.call !== undefined)
    return [...callFindings(crossing, route, path), ...thenFindings(crossing, route, path)]
  const spot = { path, target: [...path, 'to'] }
  return [...targetFindings(crossing, route, spot), ...thenFindings(crossing, route, path)]
}

/** Where a route is written, and where its target: the same place in the short form. */
interface Spot {
  readonly path: Path
  readonly target: Path
}

function targetFindings(crossing: Crossing, route: RouteMap, spot: Spot): Finding[] {
  const { path } = spot
  const { place } = crossing
  const target = route.to ?? ''
  const reserved = reservedFindings(crossing, target, spot.target)
  if (reserved) return reserved.length > 0 ? reserved : limitFindings(crossing, route, path)
  const steps = place.list.steps.map(({ step }) => step.id)
  if (steps.includes(target)) return limitFindings(crossing, route, path)
  const message = `${titleOf(crossing)} leads to '${target}', which is no step of this list`
  const isFragment = Object.hasOwn(crossing.outline.file.fragments ?? {}, target)
  const fix = isFragment
    ? `write { call: ${target}, limit: 1, then: fail }, because '${target}' is a fragment`
    : writeInstead(target, [...steps, 'end', 'fail', 'ask'])
  return [{ path: spot.target, message, fix }]
}

/** Undefined when the target is no reserved word. */
function reservedFindings({ place }: Crossing, target: string, path: Path): Finding[] | undefined {
  if (!(reservedTargets as readonly string[]).includes(target)) return undefined
  if (target === 'continue' && !place.list.inEach && place.step.each === undefined) {
    return [
      { path, message: "'continue' is only possible inside 'each'", fix: "write 'end', 'fail' or 'ask'" },
    ]
  }
  if (target === 'author' && authorsOf(place).length === 0) {
    const message = `'author' needs a step of this list in 'reads' of step '${place.step.id}'`
    return [{ path, message, fix: `add 'reads:' with the step whose work '${place.step.id}' looks at` }]
  }
  return []
}

/** The steps that `author` may stand for. */
export function authorsOf({ step, list }: StepPlace): string[] {
  return (step.reads ?? []).filter(
    (name) => name !== step.id && list.steps.some((other) => other.step.id === name),
  )
}

function limitFindings(crossing: Crossing, route: RouteMap, path: Path): Finding[] {
  const target = route.to ?? ''
  if (route.once) {
    if (route.then !== undefined) return []
    return [{ path, message: `${titleOf(crossing)} has 'once' but no 'then'`, fix: "add 'then: ask'" }]
  }
  if (route.limit !== undefined && route.then === undefined) {
    return [
      {
        path,
        message: `${titleOf(crossing)} has a limit but no 'then'`,
        fix: "add 'then: ask' or 'then: fail'",
      },
    ]
  }
  if (route.limit !== undefined || !leadsBack(crossing.place, target)) return []
  const message = `${titleOf(crossing)} leads back to '${target}' without a limit`
  return [{ path, message, fix: `write { to: ${target}, limit: 3, then: ask }` }]
}

function leadsBack({ list, index }: StepPlace, target: string): boolean {
  if (target === 'author') return true
  const found = list.steps.findIndex(({ step }) => step.id === target)
  return found !== -1 && found <= index
}

function callFindings(crossing: Crossing, route: RouteMap, path: Path): Finding[] {
  const fragments = Object.keys(crossing.outline.file.fragments ?? {})
  const name = route.call ?? ''
  if (!fragments.includes(name)) {
    const message = `${titleOf(crossing)} calls '${name}', which is no fragment`
    const fix = fragments.length === 0 ? `add '${name}' under 'fragments'` : writeInstead(name, fragments)
    return [{ path: [...path, 'call'], message, fix }]
  }
  if (route.limit !== undefined) return []
  return [{ path, message: `${titleOf(crossing)} calls '${name}' without a limit`, fix: "add 'limit: 1'" }]
}

function thenFindings(crossing: Crossing, route: RouteMap, path: Path): Finding[] {
  const { then } = route
  if (then === undefined) return []
  const at = [...path, 'then']
  const inner = { ...crossing, name: `${crossing.name}.then` }
  if (typeof then !== 'string' || !isLabel(crossing, then))
    return routeFindings(inner, { route: then, path: at })
  if (!route.once) {
    const message = `'then' names the label '${then}', which only a route with 'once' may do`
    return [{ path: at, message, fix: 'write a step or one of end, fail, ask' }]
  }
  if (!isCircle(crossing, then)) return []
  return [{ path: at, message: `'then: ${then}' leads round in a circle`, fix: "write 'then: ask'" }]
}

function isLabel({ labels, place }: Crossing, word: string): boolean {
  const isTarget =
    (reservedTargets as readonly string[]).includes(word) ||
    place.list.steps.some(({ step }) => step.id === word)
  return labels.has(word) && !isTarget
}

function isCircle(crossing: Crossing, first: string): boolean {
  const seen = new Set<string>()
  let label: string | undefined = first
  while (label !== undefined && !seen.has(label)) {
    seen.add(label)
    const route: RouteFile | undefined = crossing.labels.get(label)
    const then: RouteFile | undefined = typeof route === 'object' && route.once ? route.then : undefined
    label = typeof then === 'string' && isLabel(crossing, then) ? then : undefined
  }
  return label !== undefined
}

function nextFindings({ step, path, index, list }: StepPlace): Finding[] {
  if (step.next === undefined || step.next === 'end') return []
  const later = list.steps.slice(index + 1).map((other) => other.step.id)
  if (later.includes(step.next)) return []
  const isEarlier = list.steps.some((other) => other.step.id === step.next)
  const message = isEarlier
    ? `'next' of step '${step.id}' leads back to '${step.next}'`
    : `'next' of step '${step.id}' names '${step.next}', which is no step of this list`
  const fix = isEarlier
    ? `write on: { ok: { to: ${step.next}, limit: 3, then: ask } }`
    : writeInstead(step.next, [...later, 'end'])
  return [{ path: [...path, 'next'], message, fix }]
}

function titleOf({ name, place }: Crossing): string {
  return `route ${quoted(name)} of step ${quoted(place.step.id)}`
}
