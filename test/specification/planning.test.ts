import { describe, expect, it } from 'vitest'
import { goodPlan, planned, playPipeline, stopAtCode, task } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const reject = { answer: { verdict: 'REJECT', feedback: 'Say what unchecked means.' } }
const approve = { answer: { verdict: 'APPROVE' } }

const planWithout = (part: string): Entry => planned(goodPlan.replace(`## ${part}\n`, ''))

describe.concurrent('the Lead Architect reviews the plan', () => {
  it('REJECT returns the plan to the Architect with the feedback, and the next review sees the earlier one (R001-41, R001-44, R001-107, R000-16, R000-64)', async () => {
    const run = await playPipeline({ roles: { ...stopAtCode, plan_reviewer: [reject, approve] } })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...steps.plan(1),
      ...steps.planRejected(1),
      'route plan_review -> plan (1 of 3)',
      ...steps.plan(2),
      ...steps.planApproved(2),
      ...steps.stop(),
    ])
    expect(await run.prompt('plan#2')).toContain('<<<FEEDBACK\nSay what unchecked means.\nFEEDBACK>>>')
    const reviewer = await run.prompt('plan_review#2')
    expect(reviewer).toContain(`<<<TASK\n${task}\nTASK>>>`)
    expect(reviewer).toContain(`- plan: read '${steps.paths.plan}'`)
    expect(reviewer).toContain(`- plan_review: read '${steps.paths.planReview(1)}' (your own findings`)
  })

  it('after three rounds a further REJECT asks a person (C-10)', async () => {
    const run = await playPipeline({ roles: { plan_reviewer: [reject] } })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...[...steps.plan(1), ...steps.planRejected(1), 'route plan_review -> plan (1 of 3)'],
      ...[...steps.plan(2), ...steps.planRejected(2), 'route plan_review -> plan (2 of 3)'],
      ...[...steps.plan(3), ...steps.planRejected(3), 'route plan_review -> plan (3 of 3)'],
      ...[...steps.plan(4), ...steps.planRejected(4)],
      ...steps.asks('plan_review'),
    ])
    expect(run.end).toMatchObject({ type: 'waiting', exitCode: 3 })
  })

  it('a score below 70 sends the plan back whatever the verdict says, and 70 is enough (C-89)', async () => {
    const scored = (score: number) => ({ answer: { verdict: 'APPROVE', score } })
    const run = await playPipeline({ roles: { ...stopAtCode, plan_reviewer: [scored(69), scored(70)] } })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...steps.plan(1),
      'plan_review#1 started',
      'LEAD ARCHITECT called',
      'LEAD ARCHITECT exit 0',
      'answer accepted',
      `wrote ${steps.paths.planReview(1)}`,
      'commit by engine',
      ...['gate within_scope met', 'gate artifact_written met'],
      'gate score not met',
      'branch moved',
      'plan_review#1 revise score',
      'route plan_review -> plan (1 of 3)',
      ...steps.plan(2),
      ...steps.planApproved(2),
      ...steps.stop(),
    ])
    expect(await run.prompt('plan#2')).toContain(
      '<<<FEEDBACK\nscore: score 69, at least 70 is needed\nFEEDBACK>>>',
    )
  })
})

describe.concurrent('a plan has six parts', () => {
  const thirds = [
    ['Reference Documents', 'Detailed Logic', 'Test Scenarios'],
    ['Documentation Updates', 'Expected Deliverables', 'Completion Checklist'],
  ] as const

  for (const [first, second, third] of thirds) {
    it(`without '${first}', '${second}' or '${third}' it goes back to the Architect twice, then a person is asked (R001-100 to R001-105)`, async () => {
      const architect = [planWithout(first), planWithout(second), planWithout(third)]
      const run = await playPipeline({ roles: { architect } })
      expect(sequence(run)).toEqual([
        ...steps.begin('direct'),
        ...[...steps.planIncomplete(1), 'route plan -> plan (1 of 2)'],
        ...[...steps.planIncomplete(2), 'route plan -> plan (2 of 2)'],
        ...steps.planIncomplete(3),
        ...steps.asks('plan', 'reject, answer'),
      ])
      expect(await run.prompt('plan#2')).toContain(`plan_has_parts: the plan lacks: '## ${first}'`)
      expect(await run.prompt('plan#3')).toContain(`plan_has_parts: the plan lacks: '## ${second}'`)
      expect(run.state.question).toBe(
        `Step 'plan' ended revise (plan_has_parts): plan_has_parts: the plan lacks: '## ${third}'`,
      )
    })
  }

  it('a heading with nothing below it is not a part (R001-105)', async () => {
    const empty = goodPlan.replace('- [ ] the toggle is there\n', '')
    const run = await playPipeline({
      roles: { ...stopAtCode, architect: [planned(empty), planned(goodPlan)] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...[...steps.planIncomplete(1), 'route plan -> plan (1 of 2)'],
      ...[...steps.plan(2), ...steps.planApproved()],
      ...steps.stop(),
    ])
  })

  it('a rejected plan has both rounds for its parts again: going back over a step sets its counts to zero', async () => {
    const bad = planWithout('Detailed Logic')
    const good = planned(goodPlan)
    const run = await playPipeline({
      roles: { ...stopAtCode, architect: [bad, bad, good, bad, bad, good], plan_reviewer: [reject, approve] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...[...steps.planIncomplete(1), 'route plan -> plan (1 of 2)'],
      ...[...steps.planIncomplete(2), 'route plan -> plan (2 of 2)'],
      ...[...steps.plan(3), ...steps.planRejected(1), 'route plan_review -> plan (1 of 3)'],
      ...[...steps.planIncomplete(4), 'route plan -> plan (1 of 2)'],
      ...[...steps.planIncomplete(5), 'route plan -> plan (2 of 2)'],
      ...[...steps.plan(6), ...steps.planApproved(2)],
      ...steps.stop(),
    ])
  })
})
