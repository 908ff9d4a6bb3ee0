// Seed 004 as it is shipped: each scenario with all its messages, in order.
import { describe, expect, it } from 'vitest'
import type { JournalLine } from '../../src/model/event.ts'
import { textOf } from '../../src/model/json.ts'
import { expandValue, lookUp } from '../../src/model/template.ts'
import { goalWorld, messagesIn, planOf, planStep, playGoal } from '../support/goal-run.ts'
import type { PlayedGoal, Replies } from '../support/goal-run.ts'

/** Messages without the requests and passed judgements that surround them everywhere. */
function told({ lines }: PlayedGoal): string[] {
  return messagesIn(lines).filter((message) => !/^VERIFY_REQUEST|^VERIFY_RESPONSE .* met /.test(message))
}

function play(replies: Replies): Promise<PlayedGoal> {
  return playGoal({ world: goalWorld(replies) })
}

function ofType(lines: readonly JournalLine[], type: JournalLine['type']): JournalLine['data'][] {
  return lines.filter((line) => line.type === type).map(({ data }) => data)
}

function itemsIn({ lines }: PlayedGoal): string[] {
  return ofType(lines, 'item.finished').map(({ item, outcome }) => `${textOf(item)} ${textOf(outcome)}`)
}

const oneStep = planOf(planStep('S1'))

function judged(gate: string, score: number): string[] {
  return [`VERIFY_REQUEST ${gate}`, `VERIFY_RESPONSE ${gate} met ${score}`]
}

const codeDone = (id: string): string[] => [`CODE_RESPONSE ${id} done`, ...judged('code', 90)]
const tried = (id: string, word: string): string[] => [
  ...[`TEST_REQUEST ${id}`, `TEST_RESPONSE ${id} ${word}`, ...judged('test', 90)],
]

/** Everything that is said about a step of a plan with which nothing is wrong. */
function stepDone(id: string): string[] {
  return [
    ...[`CODE_REQUEST ${id}`, ...codeDone(id), ...tried(id, 'PASS'), ...judged('step', 90)],
    ...[...judged('progress', 90), `STEP_COMPLETE ${id}`],
  ]
}

/** One attempt at a step whose tests go on failing, with one fix cycle. */
function attemptFailed(id: string): string[] {
  const found = [...tried(id, 'FIX'), `FIX_PLAN ${id}`]
  return [
    ...[`CODE_REQUEST ${id}`, ...codeDone(id), ...found],
    ...[`CODE_FIX_REQUEST ${id}`, ...codeDone(id), ...found],
  ]
}

/** What the supervision says of the sub-plans that did not help: one issue more for each, from the innermost out. */
const raised: Readonly<Record<number, string[]>> = {
  1: ['CORRECTION step CORRECT'],
  0: ['ESCALATION step REFOCUS'],
}

/** Three attempts, and then a sub-plan of one step, which goes the same way until it is deep enough. */
function failedDown(id: string, depth: number): string[] {
  const attempts = [1, 2, 3].flatMap(() => attemptFailed(id))
  if (depth === 3) return [...attempts, `STEP_BLOCKED ${id}`]
  const planned = [`REPLAN_REQUEST ${id}`, 'SUBPLAN_RESPONSE', ...judged('plan', 90)]
  const below = failedDown(`${id}a`, depth + 1)
  return [...attempts, ...planned, ...below, ...(raised[depth] ?? []), `STEP_BLOCKED ${id}`]
}

describe('a goal', () => {
  it('is planned, judged, carried out in order of dependencies, tested, judged and verified (R004-01, R004-02, R004-08, R004-09, R004-49 to R004-57)', async () => {
    const played = await playGoal()
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "CODE_REQUEST S2",
        "CODE_RESPONSE S2 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S2",
        "TEST_RESPONSE S2 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S2",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 90",
        "GOAL_COMPLETE",
      ]
    `)
    expect(played.end).toMatchObject({ outcome: 'ok', exitCode: 0, step: 'goal' })
  })

  it('whose plan is refused gets another one, which knows why (R004-12, R004-18, R004-50, R004-125)', async () => {
    const played = await play({ 'judge plan': [65, 90], plan: [oneStep] })
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan unmet 65",
        "CORRECTION plan REMIND",
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 90",
        "GOAL_COMPLETE",
      ]
    `)
    const again = played.world.requests.filter(({ step }) => step.id === 'plan')[1]
    expect(again?.feedback[0]?.text).toContain('score 65, at least 70 is needed\nonly 65')
  })

  it('with a plan that is refused four times is given up', async () => {
    const played = await play({ 'judge plan': [65] })
    expect(played.end).toMatchObject({ outcome: 'revise', exitCode: 1, step: 'plan' })
    expect(ofType(played.lines, 'step.finished')).toHaveLength(4)
  })

  it('with dependencies in a circle is refused by the engine before anybody is asked (R004-16, R004-123, C-48)', async () => {
    const circle = planOf(planStep('S1', { dependsOn: ['S2'] }), planStep('S2', { dependsOn: ['S1'] }))
    const played = await play({ plan: [circle, oneStep] })
    expect(messagesIn(played.lines)).toEqual([
      ...['PLAN_REQUEST', 'PLAN_RESPONSE', 'PLAN_REQUEST', 'PLAN_RESPONSE'],
      ...[...judged('plan', 90), ...stepDone('S1'), ...judged('goal', 90), 'GOAL_COMPLETE'],
    ])
    expect(ofType(played.lines, 'gate.judged')[0]).toMatchObject({
      gate: 'plan',
      verdict: 'unmet',
      issues: 1,
    })
  })

  it('that is not met is planned again for the gaps alone, and met (R004-18, R004-57, R004-58, R004-136, R004-137, C-57)', async () => {
    const played = await play({ plan: [oneStep, planOf(planStep('G1'))], 'judge goal': [60, 85] })
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal unmet 60",
        "CORRECTION goal REMIND",
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST G1",
        "CODE_RESPONSE G1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST G1",
        "TEST_RESPONSE G1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE G1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 85",
        "GOAL_COMPLETE",
      ]
    `)
    const again = played.world.requests.filter(({ step }) => step.id === 'plan')[1]
    expect(again?.feedback[0]?.text).toContain('subtraction is missing')
    expect(played.end).toMatchObject({ outcome: 'ok' })
  })

  it('has parts that planner and supervisor are told, each by name', async () => {
    const values = { sub_goal: ['errors name the line', 'it is fast'] }
    const { world } = await playGoal({ world: goalWorld({ plan: [oneStep] }), values })
    const heard = world.requests.flatMap(({ step, values: known }) => {
      const parts = step.with['sub_goals']
      return parts === undefined ? [] : [[step.id, textOf(known['gate']), expandValue(parts, known)]]
    })
    expect(heard).toEqual([
      ['plan', '', values.sub_goal],
      ['supervisor', 'plan', values.sub_goal],
      ['supervisor', 'goal', values.sub_goal],
    ])
  })

  it('that is never met is given up after five rounds of gaps (C-57)', async () => {
    const played = await play({ plan: [oneStep], 'judge goal': [75] })
    expect(played.end).toMatchObject({ outcome: 'revise', exitCode: 1, step: 'goal' })
    expect(messagesIn(played.lines).filter((message) => message === 'PLAN_REQUEST')).toHaveLength(6)
  })

  it('is not verified while the tests fail on a clean checkout, whatever anybody says (R004-135)', async () => {
    const played = await play({ plan: [oneStep], clean: ['fail'] })
    expect(messagesIn(played.lines)).not.toContain('VERIFY_REQUEST goal')
    expect(played.end).toMatchObject({ outcome: 'revise', exitCode: 1 })
    expect(played.end?.reason).toContain('tests_pass_clean')
  })
})

describe('a step of the plan', () => {
  it('whose tests fail goes through fix cycles until they pass (R004-05, R004-22, R004-40, R004-52, R004-143 to R004-146, C-58)', async () => {
    const played = await play({
      plan: [oneStep],
      tests: ['fail', 'fail', 'pass'],
      explore: ['FIX', 'FIX', 'PASS'],
    })
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 FIX",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "FIX_PLAN S1",
        "CODE_FIX_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 FIX",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "FIX_PLAN S1",
        "CODE_FIX_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 90",
        "GOAL_COMPLETE",
      ]
    `)
    const fixed = played.world.requests.filter(({ step }) => step.id === 'code')
    expect(fixed[1]?.feedback[0]?.text).toContain('mend it')
    const plans = played.lines.filter(({ type }) => type === 'FIX_PLAN').map(({ data }) => textOf(data['id']))
    const named = played.lines
      .filter(({ type }) => type === 'TEST_RESPONSE')
      .map(({ data }) => textOf(data['fix_plan_id']))
    expect(named).toEqual(expect.arrayContaining(plans))
  })

  it('is not believed to pass while the engine sees its tests fail (R004-26, R004-130)', async () => {
    const played = await play({ plan: [oneStep], tests: ['fail', 'pass'], explore: ['PASS'] })
    expect(told(played).slice(2, 7)).toEqual([
      ...['CODE_REQUEST S1', 'CODE_RESPONSE S1 done', 'TEST_REQUEST S1', 'TEST_RESPONSE S1 PASS'],
      'CODE_FIX_REQUEST S1',
    ])
  })

  it('with fix cycles used up is attempted three times, gets sub-plans to depth 3, fails, and the rest goes on (R004-03, R004-17, R004-138 to R004-141, R004-147, C-46, C-60)', async () => {
    const plan = planOf(planStep('S1'), planStep('S2'), planStep('S3', { dependsOn: ['S1'] }))
    const world = goalWorld({
      ...{ plan: [plan, planOf(planStep('G1'))], 'S2/tests': ['pass'], 'S2/explore': ['PASS'] },
      ...{ 'G1/tests': ['pass'], 'G1/explore': ['PASS'], tests: ['fail'], explore: ['FIX'] },
    })
    const played = await playGoal({ world, values: { max_fix_cycles: 1 } })
    expect(itemsIn(played)).toEqual([
      ...['S1aaa failed', 'S1aa failed', 'S1a failed', 'S1 failed', 'S2 ok', 'S3 blocked', 'G1 ok'],
    ])
    const depths = ofType(played.lines, 'list.started').map(({ depth }) => depth)
    expect(depths).toEqual([0, 1, 2, 3, 0])
    const attempts = ofType(played.lines, 'attempt.started').map(({ item }) => item)
    expect(attempts.filter((item) => item === 'S1')).toHaveLength(3)
    expect(attempts.filter((item) => item === 'S1aaa')).toHaveLength(3)
    expect(messagesIn(played.lines)).toEqual([
      ...['PLAN_REQUEST', 'PLAN_RESPONSE', ...judged('plan', 90)],
      ...[...failedDown('S1', 0), ...stepDone('S2'), 'STEP_BLOCKED S3'],
      'ESCALATION goal CRITICAL',
      ...['PLAN_REQUEST', 'PLAN_RESPONSE', ...judged('plan', 90), ...stepDone('G1')],
      ...[...judged('goal', 90), 'GOAL_COMPLETE'],
    ])
  })

  it('gets a sub-plan where its coder asks for one (R004-23, R004-33, R004-34)', async () => {
    const played = await play({ plan: [oneStep], 'S1/code': ['blocked', 'done'] })
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 blocked",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "REPLAN_REQUEST S1",
        "SUBPLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1a",
        "CODE_RESPONSE S1a done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1a",
        "TEST_RESPONSE S1a PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1a",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 90",
        "GOAL_COMPLETE",
      ]
    `)
    const replan = played.world.requests.find(({ step }) => step.id === 'replan')
    expect(replan?.values['feedback']).toContain('too large')
    expect(played.end).toMatchObject({ outcome: 'ok' })
  })

  it('is refused without tests, but an analysis owes none (R004-04, R004-21, R004-127, C-59)', async () => {
    const played = await play({
      plan: [planOf(planStep('S1'), planStep('A1', { kind: 'analysis' }))],
      'S1/changed': ['src/sum.js', 'src/sum.js test/sum.test.js'],
      'A1/changed': [''],
    })
    expect(itemsIn(played)).toEqual(['S1 ok', 'A1 ok'])
    const coded = played.world.requests.filter(({ step }) => step.id === 'code')
    expect(coded.map(({ values }) => textOf(lookUp('item.id', values)))).toEqual(['S1', 'S1', 'A1'])
    expect(coded[1]?.feedback[0]?.text).toContain('tests_included: no test was written or changed')
  })

  it('with a critical security issue is refused whatever its score (R004-28, R004-128)', async () => {
    const insecure = {
      score: 95,
      verified: true,
      issues: [{ severity: 'critical', about: 'a shell command is built from input' }],
    }
    const played = await play({ plan: [oneStep], 'judge code': [insecure, 90] })
    expect(told(played).slice(2, 6)).toEqual([
      ...['CODE_REQUEST S1', 'CODE_RESPONSE S1 done', 'VERIFY_RESPONSE code unmet 95', 'CODE_REQUEST S1'],
    ])
  })

  it('that the supervisor refuses at the end is attempted again with the reasons (R004-12, R004-53, R004-54, R004-131, R004-133)', async () => {
    const played = await play({ plan: [oneStep], 'judge step': [60, 90] })
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step unmet 60",
        "CORRECTION step REMIND",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 90",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 90",
        "GOAL_COMPLETE",
      ]
    `)
    const again = played.world.requests.filter(({ step }) => step.id === 'code')[1]
    expect(again?.feedback[0]?.text).toContain('only 60')
  })

  it('is judged against itself, the goal against the run (R004-10, R004-27, R004-132)', async () => {
    const { world } = await play({ plan: [oneStep] })
    const scopes = world.requests
      .filter(({ values }) => values['gate'] !== undefined && values['gate'] !== '')
      .map(({ step, values }) => `${textOf(values['gate'])} ${textOf(step.with['scope'])}`)
    expect(scopes).toEqual(['plan run', 'code item', 'test item', 'step item', 'progress run', 'goal run'])
  })

  it('is judged by what it has changed itself, plan and goal by the whole branch: no judgement reads more because many steps came before it', async () => {
    const { world } = await play({ plan: [oneStep] })
    const diffs = world.requests.flatMap(({ reads, values, agreed }) =>
      reads.flatMap((item) => {
        if (item.type !== 'diff') return []
        const since = item.since !== undefined && item.since === agreed.since ? 'item' : 'branch'
        return [`${textOf(values['gate'])} ${since}`]
      }),
    )
    expect(diffs).toEqual([
      'plan branch',
      'code item',
      'test item',
      'step item',
      'progress item',
      'goal branch',
    ])
  })

  it('goes on without a tester that cannot be reached: the engine has run the tests (R004-149, R004-150, R004-151)', async () => {
    const played = await play({ plan: [oneStep], explore: ['crash'] })
    expect(itemsIn(played)).toEqual(['S1 ok'])
    const routes = ofType(played.lines, 'route.taken')
    expect(routes).toMatchObject([{ from: 'explore', to: 'done', by: 'failed', degraded: true }])
  })
})

describe('a supervisor that cannot be reached', () => {
  it('is never a pass: a plan nobody judged is not carried out, and a person is asked (C-53)', async () => {
    const played = await play({ 'judge plan': ['crash'] })
    expect(messagesIn(played.lines)).not.toContain('CODE_REQUEST S1')
    expect(played.waiting?.step).toBe('plan')
  })

  it('leaves a step to its evidence, flagged as unverified, and the goal unmet (C-53, R004-53)', async () => {
    const played = await play({ plan: [oneStep], 'judge step': ['crash'], 'judge goal': ['crash'] })
    expect(ofType(played.lines, 'item.finished')).toMatchObject([
      { item: 'S1', outcome: 'ok', unverified: true },
    ])
    expect(messagesIn(played.lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 90",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 90",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 90",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step inconclusive",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 90",
        "STEP_COMPLETE S1",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal inconclusive",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal inconclusive",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal inconclusive",
      ]
    `)
    expect(played.waiting?.step).toBe('goal')
  })
})
