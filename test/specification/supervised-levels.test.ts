// Escalation and time of a supervised run: which levels are reached, where they lead, what is said to whom.
import { describe, expect, it } from 'vitest'
import { foldPlan } from '../../src/model/fold-plan.ts'
import { textOf } from '../../src/model/json.ts'
import { goalState } from '../../src/views/goal-state.ts'
import { goalWorld, loadedSupervised, messagesIn, planOf, planStep, playGoal } from '../support/goal-run.ts'
import type { PlayedGoal, Replies } from '../support/goal-run.ts'

const oneStep = planOf(planStep('S1'))
const minute = 60_000

function levelsIn({ lines }: PlayedGoal): string[] {
  return lines.filter(({ type }) => type === 'level.raised').map(({ data }) => textOf(data['level']))
}

function play(replies: Replies): Promise<PlayedGoal> {
  return playGoal({ world: goalWorld(replies) })
}

describe('escalation', () => {
  it('reminds, corrects, refocuses, warns for the last time, aborts into one new plan, then aborts (R004-11, R004-43, R004-44, R004-48, R004-116 to R004-121, C-54)', async () => {
    const played = await play({ plan: [oneStep], 'judge code': [55] })
    expect(levelsIn(played)).toEqual([
      ...['REMIND', 'CORRECT', 'REFOCUS', 'CRITICAL', 'ABORT'],
      ...['REMIND', 'CORRECT', 'REFOCUS', 'CRITICAL', 'ABORT'],
    ])
    const attempt = (level: string): string[] => [
      ...[
        'CODE_REQUEST S1',
        'CODE_RESPONSE S1 done',
        'VERIFY_REQUEST code',
        'VERIFY_RESPONSE code unmet 55',
        level,
      ],
    ]
    const round = [
      ...['PLAN_REQUEST', 'PLAN_RESPONSE', 'VERIFY_REQUEST plan', 'VERIFY_RESPONSE plan met 90'],
      ...attempt('CORRECTION code REMIND'),
      ...attempt('CORRECTION code CORRECT'),
      ...attempt('ESCALATION code REFOCUS'),
      ...attempt('ESCALATION code CRITICAL'),
      ...attempt('ABORT code ABORT'),
    ]
    expect(messagesIn(played.lines)).toEqual([...round, ...round])
    expect(played.end).toMatchObject({ outcome: 'failed', label: 'ABORT', exitCode: 1 })
    const told = "5 judgements in a row were not met, the last one of 'code': score 55, at least 60 is needed"
    expect(played.end?.reason).toContain(told)
    // The plan from scratch must not lead to the same.
    const again = played.world.requests.filter(({ step }) => step.id === 'plan')[1]
    expect(again?.feedback[0]?.text).toContain(told)
    const routed = played.lines
      .filter(({ type }) => type === 'level.routed')
      .map(({ data }) => textOf(data['to']))
    expect(routed).toEqual(['plan', 'fail'])
    const workflow = await loadedSupervised()
    expect(goalState(foldPlan(played.lines, workflow), workflow)).toMatchObject({ status: 'aborted' })
  })

  it('puts its guidance into the next prompt, once (R004-11, C-52)', async () => {
    const { world } = await play({ plan: [oneStep], 'judge code': [65], 'judge test': [90] })
    const guided = world.requests.map(({ step, guidance }) => `${step.id} ${guidance?.level ?? ''}`.trim())
    expect(guided).toEqual([
      ...['plan', 'supervisor', 'code', 'supervisor', 'test', 'explore REMIND', 'supervisor'],
      ...['supervisor', 'supervisor', 'supervisor'],
    ])
    const told = world.requests.find(({ guidance }) => guidance !== undefined)?.guidance
    expect(told).toMatchObject({ prompt: 'remind.md', values: { score: 65, gate: 'code' } })
  })

  it('is apart from the gate: 65 passes the code gate and is a REMIND, 75 is none and fails the goal gate (C-52, R004-129, R004-137)', async () => {
    const played = await play({ plan: [oneStep], 'judge code': [65], 'judge goal': [75, 85] })
    expect(messagesIn(played.lines)).toContain('VERIFY_RESPONSE code met 65')
    expect(messagesIn(played.lines)).toContain('VERIFY_RESPONSE goal unmet 75')
    expect(levelsIn(played)).toEqual(['REMIND', 'REMIND'])
  })

  it('warns where too many steps of the plan have failed, and the goal is not met with them (R004-134, R004-142, C-55)', async () => {
    const steps = ['S1', 'S2', 'S3', 'S4'].map((id) => planStep(id))
    const crash = Object.fromEntries(['S1', 'S2'].map((id) => [`${id}/code`, ['crash']]))
    const played = await play({
      plan: [planOf(...steps), planOf(planStep('G1'))],
      replan: ['crash'],
      ...crash,
    })
    expect(levelsIn(played)).toEqual(['CRITICAL'])
    const goal = played.lines.filter(({ type, data }) => type === 'gate.judged' && data['gate'] === 'goal')
    expect(goal.map(({ data }) => data['verdict'])).toEqual(['unmet', 'met'])
    expect(messagesIn(played.lines).filter((message) => message === 'PLAN_REQUEST')).toHaveLength(2)
  })
})

describe('money', () => {
  it('that a supervisor uses counts too: the next agent is not asked, and with more the run goes on', async () => {
    const world = { ...goalWorld({ plan: [oneStep] }), costs: 1 }
    const short = await playGoal({ world, limits: { cost: 3 } })
    expect(short.end).toMatchObject({ outcome: 'spending', exitCode: 4 })
    expect(world.requests.map(({ step }) => step.id)).toEqual(['plan', 'supervisor', 'code'])
    const longer = await playGoal({ world, limits: { cost: 100 }, run: short.run })
    expect(longer.end).toMatchObject({ outcome: 'ok' })
    const asked = world.requests.map(({ key }) => key)
    expect(new Set(asked).size).toBe(asked.length)
  })
})

describe('time', () => {
  const limit = 60 * minute

  it.each([
    ['planning', 'planning', { plan: 7 * minute }, 120],
    ['plan review', 'planning', { 'judge plan': 7 * minute }, 120],
    ['execution', 'execution', { 'S2/code': 60 * minute }, 300],
    ['a test of a step', 'execution', { 'S2/test': 60 * minute }, 300],
    ['a judgement of a step', 'execution', { 'judge S2/step': 60 * minute }, 300],
    ['verification', 'verification', { 'judge goal': 9 * minute }, 120],
  ])(
    'that expires in %s ends the run with exit code 4, and with more time it goes on to its end (R004-06, R004-59, R004-102 to R004-109)',
    async (_name, phase, takes, more) => {
      const world = goalWorld({}, takes)
      const short = await playGoal({ world, timeLimitMs: limit })
      expect(world.now).toBeLessThanOrEqual(limit)
      const before = short.lines.length
      const reason = `the part of the time limit that is for '${phase}' is used up`
      expect(short.end).toMatchObject({ outcome: 'time', exitCode: 4, reason })
      const longer = await playGoal({ world, timeLimitMs: more * minute, run: short.run })
      expect(longer.end).toMatchObject({ outcome: 'ok', exitCode: 0 })
      expect(longer.lines.length).toBeGreaterThan(before)
      // Nothing is said twice, and nothing is left out: with enough time from the beginning it would be the same.
      expect(messagesIn(longer.lines)).toEqual(messagesIn((await playGoal()).lines))
    },
  )

  it('of one step of the plan is its even part: what is longer fails, and the rest goes on (R004-103, R004-114)', async () => {
    const steps = ['S1', 'S2', 'S3'].map((id) => planStep(id))
    const world = goalWorld({ plan: [planOf(...steps), planOf(planStep('G1'))] }, { 'S1/code': 50 * minute })
    const played = await playGoal({ world, timeLimitMs: limit })
    const ended = played.lines
      .filter(({ type }) => type === 'item.finished')
      .map(({ data }) => `${textOf(data['item'])} ${textOf(data['outcome'])}`)
    expect(ended.slice(0, 3)).toEqual(['S1 failed', 'S2 ok', 'S3 ok'])
    const deadlines = world.requests
      .filter(({ step }) => step.id === 'code')
      .map(({ deadline = 0 }) => deadline)
    expect(deadlines[0]).toBe(Math.floor((54 * minute) / 3))
  })

  it('of all fix cycles together is three tenths of that of the step (R004-115, C-50)', async () => {
    const replies = { plan: [oneStep], tests: ['fail'], explore: ['FIX'] }
    const world = goalWorld(replies, { code: 6 * minute })
    const played = await playGoal({
      world,
      timeLimitMs: limit,
      values: { max_attempts: 1, max_fix_cycles: 9 },
    })
    const laps = messagesIn(played.lines).filter((message) => message === 'CODE_FIX_REQUEST S1')
    // 54 minutes for the step, 16.2 of them for fixing: two whole laps, and a third that is cut off.
    expect(laps).toHaveLength(3)
  })
})
