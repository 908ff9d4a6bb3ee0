// Whatever is answered, however long it takes, wherever it is cut off: a supervised run ends, in time, and counts right.
import { array, assert, asyncProperty, constantFrom, integer, nat, oneof, option, record } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldPlan } from '../../src/model/fold-plan.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { textOf } from '../../src/model/json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { goalState } from '../../src/views/goal-state.ts'
import { goalWorld, loadedSupervised, planOf, planStep, playGoal } from '../support/goal-run.ts'
import type { PlayedGoal, Replies } from '../support/goal-run.ts'
import { memoryRun } from '../support/memory-journal.ts'

const workflow = await loadedSupervised()
const minute = 60_000

const scores = array(oneof(integer({ min: 0, max: 100 }), constantFrom('crash', 95, 95, 95)), {
  minLength: 1,
  maxLength: 4,
})
const words = (...some: string[]): Arbitrary<string[]> =>
  array(constantFrom(...some), { minLength: 1, maxLength: 4 })

const plans = [
  planOf(planStep('S1'), planStep('S2', { dependsOn: ['S1'] })),
  planOf(planStep('S1', { kind: 'analysis' }), planStep('S2'), planStep('S3', { kind: 'docs' })),
  planOf(planStep('S1', { dependsOn: ['S2'] }), planStep('S2', { dependsOn: ['S1'] })),
  planOf(planStep('S1', { dependsOn: ['S9'] })),
]

const replies: Arbitrary<Replies> = record({
  ...{ 'judge plan': scores, 'judge code': scores, 'judge test': scores, 'judge step': scores },
  ...{ 'judge progress': scores, 'judge goal': scores },
  plan: array(constantFrom(...plans), { minLength: 1, maxLength: 3 }),
  code: words('done', 'done', 'blocked', 'crash'),
  explore: words('PASS', 'PASS', 'FIX', 'crash'),
  ...{ tests: words('pass', 'pass', 'fail'), clean: words('pass', 'fail') },
  changed: words('src/sum.js test/sum.test.js', 'src/sum.js', ''),
})

interface World {
  readonly replies: Replies
  readonly takes: Readonly<Record<string, number>>
  readonly limit: number | undefined
}

const times = record({ plan: nat(8), code: nat(20), explore: nat(10), test: nat(5), 'judge code': nat(5) })
const worlds: Arbitrary<World> = record({
  replies,
  takes: times.map((some) =>
    Object.fromEntries(Object.entries(some).map(([name, ms]) => [name, ms * minute])),
  ),
  limit: option(
    integer({ min: 1, max: 300 }).map((time) => time * minute),
    { nil: undefined },
  ),
})

const small = { max_attempts: 2, max_fix_cycles: 1, max_goal_iterations: 1 }

function play(
  { replies: some, takes, limit }: World,
  lines: readonly JournalLine[] = [],
): Promise<PlayedGoal> {
  const now = lines.length === 0 ? 0 : Date.parse(lines.at(-1)?.ts ?? '')
  return playGoal({
    ...{ workflow, values: { ...small, time_limit: '900h' }, run: memoryRun(lines) },
    world: { ...goalWorld(some, takes), byKey: true, now },
    ...(limit === undefined ? {} : { timeLimitMs: limit }),
  })
}

/** What was decided, in order: a resumed process adds only that it was resumed, and asks a person anew. */
function decisions(lines: readonly JournalLine[]): unknown[] {
  return lines
    .filter(({ type }) => type !== 'run.resumed' && type !== 'run.waiting')
    .map(({ role, type, data }) => ({ role, type, data }))
}

describe('any supervised run', () => {
  it('ends or asks a person, in time, no deeper than three sub-plans, with counts that are those of its journal (R004-01, R004-03, R004-06, R004-104, R004-110, R004-151, C-60)', async () => {
    await assert(
      asyncProperty(worlds, async (world) => {
        const played = await play(world)
        expect(played.end === undefined).toBe(played.waiting !== undefined)
        const depths = played.lines
          .filter(({ type }) => type === 'list.started')
          .map(({ data }) => Number(data['depth']))
        expect(Math.max(0, ...depths)).toBeLessThanOrEqual(3)
        // Whoever performs a step ends it at its deadline: that is the one operation that may be under way.
        if (world.limit !== undefined) expect(played.world.now).toBeLessThanOrEqual(world.limit)
        expect(goalState(foldPlan(played.lines, workflow), workflow)['metrics']).toEqual(
          counted(played.lines),
        )
      }),
      { numRuns: 150 },
    )
  })

  it('comes to the same decisions from any point at which it was cut off (R004-106)', async () => {
    await assert(
      asyncProperty(worlds, nat(), async (world, cut) => {
        const timeless = { ...world, limit: undefined, takes: {} }
        const whole = await play(timeless)
        const resumed = await play(timeless, whole.lines.slice(0, 1 + (cut % whole.lines.length)))
        expect(decisions(resumed.lines)).toEqual(decisions(whole.lines))
        expect(resumed.end).toEqual(whole.end)
      }),
      { numRuns: 60 },
    )
  })
})

/** By hand and from the lines alone, not as the fold does it. */
function counted(lines: readonly JournalLine[]): JsonObject {
  const many = (type: string, holds: (data: JsonObject) => boolean = () => true): number =>
    lines.filter((line) => line.type === type && holds(line.data)).length
  const items = lines
    .filter(({ type }) => type === 'list.started')
    .map(({ data }) => (Array.isArray(data['items']) ? data['items'].length : 0))
  return {
    totalSteps: items.reduce((sum, length) => sum + length, 0),
    completedSteps: many('STEP_COMPLETE'),
    failedSteps: many('item.finished', ({ outcome }) =>
      ['failed', 'blocked', 'revise'].includes(textOf(outcome)),
    ),
    replanCount: many('REPLAN_REQUEST'),
    fixCycles: many('CODE_FIX_REQUEST'),
    verificationsPassed: many('gate.judged', ({ verdict }) => verdict === 'met'),
    verificationsFailed: many('gate.judged', ({ verdict }) => verdict === 'unmet'),
  }
}
