// What a supervised run is called for machines and for people: the state, the plan, the report.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeReport } from '../../src/cli/goal-of.ts'
import { claimRunFolder } from '../../src/journal/run-folder.ts'
import { foldPlan } from '../../src/model/fold-plan.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { isJsonObject } from '../../src/model/json.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { lookUp } from '../../src/model/template.ts'
import { goalReport, reportDocument } from '../../src/views/goal-report.ts'
import { goalState } from '../../src/views/goal-state.ts'
import { makeFolder } from '../support/git.ts'
import { goalWorld, loadedSupervised, messagesIn, planOf, planStep, playGoal } from '../support/goal-run.ts'
import type { PlayedGoal, Replies } from '../support/goal-run.ts'

const workflow = await loadedSupervised()

function stateOf({ lines }: Pick<PlayedGoal, 'lines'>): JsonObject {
  return goalState(foldPlan(lines, workflow), workflow)
}

function play(replies: Replies): Promise<PlayedGoal> {
  return playGoal({ workflow, world: goalWorld(replies) })
}

/** S1 gets a sub-plan because its attempts fail, S2 is done, S3 depends on nothing and fails. */
const eventful: Replies = {
  plan: [
    planOf(planStep('S1', { complexity: 'complex' }), planStep('S2', { dependsOn: ['S1'] }), planStep('S3')),
  ],
  'S1/code': ['crash'],
  'S2/explore': ['FIX', 'PASS'],
  'S3/code': ['crash'],
  'S3/replan': ['crash'],
}

describe('the state of a run', () => {
  it('has the fields of OrchestrationState (R004-60 to R004-70, R004-78)', async () => {
    const played = await play(eventful)
    const state = stateOf(played)
    expect(state).toMatchObject({
      ...{
        id: '1',
        primaryGoal: 'It adds numbers',
        status: 'completed',
        iteration: 1,
        currentAgent: 'supervisor',
      },
      ...{ startTime: 0, endTime: 0, timeLimit: 2 * 3_600_000, planStack: [] },
    })
    expect(Object.keys(state['agents'] as JsonObject).toSorted()).toEqual([
      'coder',
      'planner',
      'supervisor',
      'tester',
    ])
    expect(lookUp('agents.tester', state)).toMatchObject({
      ...{ status: 'idle', lastOutput: { verdict: 'PASS' }, metrics: { failures: 0 } },
    })
    const log = state['eventLog'] as JsonObject[]
    expect(log.map(({ type }) => type)).toEqual(
      messagesIn(played.lines).map((message) => message.split(' ')[0]),
    )
  })

  it('counts steps, plans, fix cycles and judgements as the journal does (R004-71 to R004-77)', async () => {
    const played = await play(eventful)
    const judged = (verdict: string): number =>
      played.lines.filter(({ type, data }) => type === 'gate.judged' && data['verdict'] === verdict).length
    expect(stateOf(played)['metrics']).toEqual({
      ...{ totalSteps: 4, completedSteps: 3, failedSteps: 1, replanCount: 2, fixCycles: 1 },
      ...{ verificationsPassed: judged('met'), verificationsFailed: judged('unmet') },
    })
  })

  it.each([
    ['initializing', 'run.started'],
    ['planning', 'PLAN_REQUEST'],
    ['executing', 'CODE_REQUEST'],
    ['testing', 'TEST_REQUEST'],
    ['verifying', 'STEP_COMPLETE'],
  ])('is %s from %s on (R004-62, C-56)', async (status, type) => {
    const { lines } = await play({})
    const until = lines.findIndex((line) => line.type === type) + 1
    expect(stateOf({ lines: lines.slice(0, until) })['status']).toBe(status)
  })

  it.each([
    ['completed', {}],
    ['failed', { 'judge plan': [60] }],
    ['aborted', { 'judge code': [55] }],
  ] as [string, Replies][])('ends %s (R004-62)', async (status, replies) => {
    expect(stateOf(await play(replies))['status']).toBe(status)
  })

  it('tells of time that has expired as the journal does (R004-62)', async () => {
    const played = await playGoal({
      workflow,
      world: goalWorld({}, { plan: 3_600_000 }),
      timeLimitMs: 60_000,
    })
    expect(played.end).toMatchObject({ outcome: 'time' })
    // As the program notes it: not under a key, so that a replay does not meet it.
    const end = { ts: new Date(60_000).toISOString(), role: 'ENGINE', type: 'run.finished' as const }
    const lines = [...played.lines, { ...end, data: { outcome: 'time', exit_code: 4, reason: 'time' } }]
    expect(stateOf({ lines })['status']).toBe('time_expired')
  })

  it('keeps the newest 200 events (R004-78)', async () => {
    const steps = Array.from({ length: 15 }, (_, index) => planStep(`S${index + 1}`))
    const state = stateOf(await play({ plan: [planOf(...steps)] }))
    const log = state['eventLog'] as JsonObject[]
    expect(log).toHaveLength(200)
    expect(log.at(-1)).toMatchObject({ type: 'GOAL_COMPLETE' })
  })
})

describe('a message', () => {
  it('has an id of its own, and a request and its response the same correlation (R004-31 to R004-42, R004-45 to R004-47)', async () => {
    const log = stateOf(await play({ plan: [planOf(planStep('S1'))], explore: ['FIX', 'PASS'] }))[
      'eventLog'
    ] as JsonObject[]
    expect(new Set(log.map(({ id }) => id)).size).toBe(log.length)
    const ofType = (type: string): JsonObject | undefined => log.find((event) => event['type'] === type)
    for (const [request, response] of [
      ['PLAN_REQUEST', 'PLAN_RESPONSE'],
      ['CODE_REQUEST', 'CODE_RESPONSE'],
      ['TEST_REQUEST', 'TEST_RESPONSE'],
      ['TEST_RESPONSE', 'FIX_PLAN'],
      ['VERIFY_REQUEST', 'VERIFY_RESPONSE'],
    ] as const) {
      expect(ofType(request)?.['correlationId']).toBe(ofType(response)?.['correlationId'])
    }
    expect(log.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['CODE_FIX_REQUEST', 'STEP_COMPLETE', 'GOAL_COMPLETE']),
    )
  })
})

describe('a plan in the state', () => {
  it('has the fields of ExecutionPlan, and sub-plans know their parent (R004-63, R004-64, R004-79 to R004-86)', async () => {
    const { lines } = await play(eventful)
    const inSub = lines.findIndex(({ type, data }) => type === 'item.started' && data['item'] === 'S1a') + 1
    const state = stateOf({ lines: lines.slice(0, inSub) })
    expect(state['planStack']).toMatchObject([
      { id: 'execute#1', depth: 0, parentPlanId: null, status: 'in_progress', currentStepIndex: 0 },
    ])
    expect(state['currentPlan']).toMatchObject({
      ...{ goal: 'It adds numbers', analysis: 'Nothing is there yet.', depth: 1, parentPlanId: 'execute#1' },
      ...{ status: 'in_progress', currentStepIndex: 0, steps: [{ id: 'S1a', parentStepId: 'S1', depth: 1 }] },
    })
    expect(lookUp('plans.0.status', stateOf({ lines }))).toBe('failed')
  })

  it('has steps with the fields of PlanStep (R004-87 to R004-100, R004-101, C-48)', async () => {
    const steps = lookUp('plans.0.steps', stateOf(await play(eventful))) as Json[]
    expect(steps[0]).toMatchObject({
      ...{ id: 'S1', number: 1, description: 'do S1', complexity: 'complex', status: 'completed', depth: 0 },
      ...{
        parentStepId: null,
        attempts: 3,
        maxAttempts: 3,
        failReason: null,
        dependsOn: [],
        acceptance: 'S1 works',
      },
      ...{ subSteps: [{ id: 'S1a', status: 'completed', depth: 1, parentStepId: 'S1', subSteps: [] }] },
    })
    expect(steps[1]).toMatchObject({
      ...{ id: 'S2', number: 2, status: 'completed', dependsOn: ['S1'], codeOutput: { status: 'done' } },
      ...{ testResults: { verdict: 'PASS' }, verificationResult: { score: 90 } },
    })
    expect(steps[2]).toMatchObject({
      id: 'S3',
      status: 'failed',
      failReason: 'the agent crashed (3 times)',
      codeOutput: null,
    })
  })

  it('has a step that was blocked by another as blocked (R004-91)', async () => {
    const plan = planOf(planStep('S1'), planStep('S2', { dependsOn: ['S1'] }))
    const { lines } = await play({
      plan: [plan, planOf(planStep('G1'))],
      'S1/code': ['crash'],
      replan: ['crash'],
    })
    expect(lookUp('plans.0.steps.1', stateOf({ lines }))).toMatchObject({ status: 'blocked', attempts: 0 })
  })
})

describe('the report', () => {
  it('tells goal, plan with sub-plans, scores, evidence, reasons, counts and what is left (R004-107)', async () => {
    const facts = foldPlan((await play(eventful)).lines, workflow)
    expect(goalReport(facts, workflow)).toMatchInlineSnapshot(`
      "# Report of run 1

      > It adds numbers

      Status: completed

      ## Plan 1

      It adds numbers (failed)

      - **S1** do S1: completed; 3 attempts; scores: plan 90, step 90
        - It adds numbers (completed)
          - **S1a** do S1a: completed; scores: code 90, test 90, step 90, progress 90
            - evidence: src/sum.js
      - **S2** do S2: completed; scores: code 90, test 90, step 90, progress 90
        - evidence: src/sum.js
      - **S3** do S3: failed; 3 attempts
        - reason: the agent crashed (3 times)

      ## Judged as a whole

      - plan: met, score 90
      - goal: met, score 90

      ## Counts

      | | |
      |---|---|
      | totalSteps | 4 |
      | completedSteps | 3 |
      | failedSteps | 1 |
      | replanCount | 2 |
      | fixCycles | 1 |
      | verificationsPassed | 14 |
      | verificationsFailed | 0 |

      ## Time

      | | |
      |---|---|
      | planning | 0ms |
      | execution | 0ms |
      | verification | 0ms |
      | whole run | 0ms |
      | limit | 2h |

      ## Left to do

      - S3: do S3 (the agent crashed (3 times))
      "
    `)
    expect(reportDocument(facts, workflow)).toMatchObject({
      left: [{ id: 'S3', description: 'do S3', status: 'failed', reason: 'the agent crashed (3 times)' }],
      timeByPhase: { planning: 0, execution: 0, verification: 0 },
    })
  })

  it('says what was continued without, and what passed unverified (C-53, R004-150)', async () => {
    const replies = { plan: [planOf(planStep('S1'))], explore: ['crash'], 'judge step': ['crash'] }
    const text = goalReport(foldPlan((await play(replies)).lines, workflow), workflow)
    expect(text).toContain('; unverified')
    expect(text).toContain('## Continued without\n\n- explore (')
  })

  it('tells what every role has used, and what nobody knows (R004-107)', async () => {
    const { lines } = await play({ plan: [planOf(planStep('S1'))] })
    const call = (role: string, data: JsonObject): JournalLine[] => [
      { ts: '', role, type: 'agent.started', data: { ...data, provider: 'p', model: 'm', call: 1 } },
      { ts: '', role, type: 'agent.finished', data: { ...data, call: 1 } },
    ]
    const known = { input: 1200, cached: 0, output: 80, cost: 0.25 }
    const facts = foldPlan(
      [
        ...lines,
        ...call('PLANNER', { step: 'plan', at: 'plan#1', usage: known }),
        ...call('CODER', { step: 'code', at: 'execute#1/S1/code#1', usage: known }),
        ...call('CODER', { step: 'code', at: 'execute#1/S1/code#2' }),
      ],
      workflow,
    )
    expect(goalReport(facts, workflow)).toContain(`## Cost

| role | calls | input | cached | output | cost |
|---|---|---|---|---|---|
| PLANNER | 1 | 1,200 | 0 | 80 | $0.25 |
| CODER | 2 | 1,200 + ? | ? | 80 + ? | $0.25 + ? |
| all | 3 | 2,400 + ? | ? | 160 + ? | $0.50 + ? |

? means that the tool did not say.
`)
    expect(reportDocument(facts, workflow)).toMatchObject({
      cost: { total: { calls: 3, cost: { known: 0.5, unknown: 1 } } },
    })
  })

  it('is written while the journal is read, and without what was undone', async () => {
    const { lines } = await play(eventful)
    const undone: JournalLine = { ts: '', role: 'ENGINE', type: 'run.undone', data: { to: 'plan#1' } }
    const reports = [lines, [...lines, undone]].map(async (all) => {
      const folder = await claimRunFolder(await makeFolder(), [])
      await writeFile(folder.journal, all.map((line) => `${JSON.stringify(line)}\n`).join(''))
      await writeReport(folder, workflow)
      const report = await readFile(join(folder.dir, 'report.md'), 'utf8')
      expect(report).toBe(goalReport(foldPlan(all, workflow), workflow))
      return report.includes('S3')
    })
    expect(await Promise.all(reports)).toEqual([true, false])
  })

  it('is there for a run that has only begun', () => {
    const facts = foldPlan([], workflow)
    expect(isJsonObject(reportDocument(facts, workflow))).toBe(true)
    expect(goalReport(facts, workflow)).toContain('Status: initializing')
  })
})
