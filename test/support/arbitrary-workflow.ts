// Workflows as the loader's rules allow them: every target exists, every way back has a limit and a `then`.
import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  noBias,
  oneof,
  option,
  record,
  tuple,
} from 'fast-check'
import type { Arbitrary } from 'fast-check'
import type { Route, Step, Workflow } from '../../src/model/workflow.ts'
import { action, agent, call, check, each, question, reviewer, to, workflowOf } from './workflow-values.ts'

/** Where a list stands: what its routes may lead to besides its own steps. */
interface Surroundings {
  readonly ids: readonly string[]
  readonly inEach: boolean
}

const limits = integer({ min: 0, max: 2 })

/** One workflow: a list of one to eight steps, perhaps with lists inside, and a fragment that may call itself. */
export const workflows: Arbitrary<Workflow> = noBias(
  tuple(
    integer({ min: 1, max: 8 }).chain((length) => listOf({ ids: namesOf('s', length), inEach: false })),
    integer({ min: 1, max: 2 }).chain((length) => listOf({ ids: namesOf('f', length), inEach: true })),
  ).map(([steps, sub]) => workflowOf(steps, { fragments: { sub } })),
)

function namesOf(prefix: string, length: number): string[] {
  return Array.from({ length }, (_, index) => `${prefix}${index}`)
}

function listOf(around: Surroundings): Arbitrary<readonly Step[]> {
  const steps = around.ids.map((_id, index) => stepOf(around, index))
  return tuple(...steps)
}

function rarely<T>(value: Arbitrary<T>): Arbitrary<T | undefined> {
  return oneof({ weight: 5, arbitrary: constant(undefined) }, { weight: 1, arbitrary: value })
}

const kinds = constantFrom('agent', 'agent', 'reviewer', 'do', 'check', 'ask', 'each')

function stepOf(around: Surroundings, index: number): Arbitrary<Step> {
  const { ids } = around
  const id = ids[index] ?? ''
  const later = ids.slice(index + 1)
  return record({
    kind: kinds,
    routes: routesOf(around, index),
    next: rarely(constantFrom(...later, 'end')),
    when: rarely(oneof(constant({ deep: [true] }), constant({ [ids[0] ?? '']: ['ok', 'revise'] }))),
    reads: array(constantFrom(...ids), { maxLength: 2 }),
    attempts: integer({ min: 1, max: 2 }),
    inner: innerList(around, id),
  }).map(({ kind, routes, next, when, reads, attempts, inner }) => {
    const common = { on: routes, reads, ...(when ? { when } : {}), ...(next === undefined ? {} : { next }) }
    switch (kind) {
      case 'agent':
        return agent(id, common)
      case 'reviewer':
        return reviewer(id, common)
      case 'do':
        return action(id, common)
      case 'check':
        return check(id, common)
      case 'ask':
        return question(id, common)
      case 'each':
        return inner.length === 0
          ? agent(id, common)
          : each(id, { ...common, list: '{tasks}', attempts, steps: inner })
    }
  })
}

/** One step deep: lists inside lists inside lists say nothing new. */
function innerList({ inEach }: Surroundings, id: string): Arbitrary<readonly Step[]> {
  const own = { ids: [`${id}x`], inEach: true }
  if (inEach) return constant([])
  return routesOf(own, 0).map((on) => [agent(`${id}x`, { on })])
}

const labels = ['ok', 'revise', 'failed', 'blocked', 'REJECT', 'ESCALATE', 'fail', 'repeated'] as const

function routesOf(around: Surroundings, index: number): Arbitrary<Readonly<Record<string, Route>>> {
  const route = routeOf(around, index, 2)
  return tuple(
    rarely(constant(true)),
    route,
    array(tuple(constantFrom(...labels), route), { maxLength: 3 }),
  ).map(([isBare, otherwise, entries]) => ({
    ...(isBare === true ? {} : { else: otherwise }),
    ...Object.fromEntries(entries),
  }))
}

function routeOf(around: Surroundings, index: number, depth: number): Arbitrary<Route> {
  const { ids, inEach } = around
  const later = ids.slice(index + 1)
  // Most routes lead on or back: a run that ends at once shows nothing.
  const forward = [...later, ...later, ...later, 'end', 'fail', 'ask', ...(inEach ? ['continue'] : [])]
  const plain = constantFrom(...forward).map((target) => to(target))
  if (depth === 0) return plain
  const then = routeOf(around, index, depth - 1)
  const back = tuple(constantFrom(...ids.slice(0, index + 1), 'author'), limits, then).map(
    ([target, limit, after]) => to(target, { limit, then: after }),
  )
  const once = tuple(constantFrom(...ids), then).map(([target, after]) =>
    to(target, { once: true, then: after }),
  )
  const calling = tuple(nat(1), option(integer({ min: 1, max: 2 }), { nil: undefined }), then).map(
    ([limit, maxDepth, after]) =>
      call('sub', { limit, then: after, ...(maxDepth === undefined ? {} : { maxDepth }) }),
  )
  return oneof(plain, { weight: 4, arbitrary: back }, once, calling)
}

/** How steps end and what people say: everything that comes from outside of a workflow. */
export interface World {
  readonly ends: readonly string[]
  readonly said: readonly ('approve' | 'reject no' | 'answer yes')[]
  /** What reviews find, in turn: the same one again, or another. */
  readonly findings: readonly string[]
  readonly tasks: number
  readonly deep: boolean
}

export const worlds: Arbitrary<World> = record({
  ends: array(
    constantFrom('ok', 'revise', 'escalate', 'blocked', 'failed', 'REJECT', 'ESCALATE', 'APPROVE', 'fail'),
    {
      minLength: 1,
      maxLength: 12,
    },
  ),
  said: array(constantFrom('approve', 'reject no', 'answer yes'), { minLength: 2, maxLength: 12 }),
  findings: array(constantFrom('no tests', 'wrong sum', ''), { minLength: 1, maxLength: 4 }),
  tasks: nat(3),
  deep: boolean(),
})
