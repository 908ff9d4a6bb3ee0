import { describe, expect, it } from 'vitest'
import { commits, developed, person, playPipeline, stopAtCode } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const soon = { 'delay: 5s': 'delay: 10ms' }
const rejects: Entry = { answer: { verdict: 'REJECT', feedback: 'Say what unchecked means.' } }
const approves: Entry = { answer: { verdict: 'APPROVE' } }
const failed: Entry = { answer: { status: 'failed', feedback: 'It does not work.' } }
const blocked: Entry = { answer: { status: 'blocked', feedback: 'Which page?' } }
const broken = (n: number) => commits({ 'src/app.txt': `BROKEN ${n}\n` }, 'feat: broken')

const planned = [...steps.begin('direct'), ...steps.plan(), ...steps.planApproved()]

/** One round is enough here: the second rejection asks. */
const oneRound = {
  'feedback: feedback, limit: 3, then: ask } }': 'feedback: feedback, limit: 1, then: ask } }',
}
const rejectedOut = [
  ...steps.begin('direct'),
  ...[...steps.plan(1), ...steps.planRejected(1), 'route plan_review -> plan (1 of 1)'],
  ...[...steps.plan(2), ...steps.planRejected(2)],
]

const asked = (step: string, verbs = 'approve, reject, answer') => `person asked about ${step}: ${verbs}`
const rest = (n: number) => [...steps.code(n), ...steps.auditPasses(), ...steps.integration()]

describe.concurrent('a review that has used up its rounds', () => {
  const twice = [rejects, rejects]

  it("'approve' takes the route of the reviewer's own approval (R000-83, C-10)", async () => {
    const run = await playPipeline({
      workflow: oneRound,
      roles: { ...stopAtCode, plan_reviewer: twice },
      ...person(['approve']),
    })
    expect(sequence(run)).toEqual([
      ...[...rejectedOut, asked('plan_review'), 'person said approve'],
      ...steps.stop(),
    ])
  })

  it("'reject' with a reason begins the rounds anew, with the reason beside the findings (C-10)", async () => {
    const run = await playPipeline({
      workflow: oneRound,
      roles: { ...stopAtCode, plan_reviewer: [...twice, approves] },
      ...person(['reject', 'Use a switch instead.']),
    })
    expect(sequence(run)).toEqual([
      ...[...rejectedOut, asked('plan_review'), 'person said reject'],
      'route plan_review -> plan (1 of 1)',
      ...[...steps.plan(3), ...steps.planApproved(3), ...steps.stop()],
    ])
    const architect = await run.prompt('plan#3')
    expect(architect).toContain('<<<FEEDBACK\nSay what unchecked means.\nFEEDBACK>>>')
    expect(architect).toContain(
      "What 'person' said about the last one:\n<<<FEEDBACK\nUse a switch instead.\nFEEDBACK>>>",
    )
  })

  it("'answer' runs the review again with the words, and is no approval (C-10)", async () => {
    const run = await playPipeline({
      workflow: oneRound,
      roles: { ...stopAtCode, plan_reviewer: [...twice, approves] },
      ...person(['answer', 'Unchecked means light.']),
    })
    expect(sequence(run)).toEqual([
      ...[...rejectedOut, asked('plan_review'), 'person said answer'],
      ...[...steps.planApproved(3), ...steps.stop()],
    ])
    expect(await run.prompt('plan_review#3')).toContain('<<<FEEDBACK\nUnchecked means light.\nFEEDBACK>>>')
  })

  it('an analysis that a person approves is planned on, as if the analyst had approved it (C-10)', async () => {
    const run = await playPipeline({
      mode: 'bugfix',
      workflow: { 'limit: 3, then: ask }   # whoever': 'limit: 1, then: ask }   # whoever' },
      roles: { lead_analyst: [{ answer: { verdict: 'REJECT', feedback: 'No.' } }], ...stopAtCode },
      ...person(['approve']),
    })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('bugfix'), ...steps.investigate(1), ...steps.analystRejects(1, 'No.')],
      'route analyst_review -> investigate (1 of 1)',
      ...[...steps.investigate(2), ...steps.analystRejects(2, 'No.')],
      ...[asked('analyst_review'), 'person said approve', 'route analyst_review -> plan'],
      ...[...steps.plan(), ...steps.planApproved(), ...steps.stop()],
    ])
  })
})

describe.concurrent('a step that has failed or is blocked', () => {
  it("'approve' runs it again: nobody can approve what was not done (R000-83, C-08)", async () => {
    const run = await playPipeline({ roles: { developer: [failed, developed] }, ...person(['approve']) })
    expect(sequence(run)).toEqual([
      ...[...planned, ...steps.givesUp(1, 'failed'), asked('code'), 'person said approve'],
      ...rest(2),
    ])
  })

  it("'reject' takes its way back with the reason (R000-83, C-08)", async () => {
    const run = await playPipeline({
      roles: { developer: [failed, developed] },
      ...person(['reject', 'Try it without the cache.']),
    })
    expect(sequence(run)).toEqual([
      ...[...planned, ...steps.givesUp(1, 'failed'), asked('code'), 'person said reject'],
      'route code -> code (1 of 2)',
      ...rest(2),
    ])
    expect(await run.prompt('code#2')).toContain('<<<FEEDBACK\nTry it without the cache.\nFEEDBACK>>>')
  })

  it("'answer' runs it again with the words, in a later process too: the run goes on from where it waits (R000-83, R001-74, C-08)", async () => {
    const run = await playPipeline({ roles: { developer: [blocked, developed] } })
    expect(run.end).toMatchObject({
      type: 'waiting',
      exitCode: 3,
      question: { text: "Step 'code' ended blocked: Which page?" },
    })
    const later = await run.tell('answer', 'The settings page.')
    expect(sequence(later)).toEqual([
      ...[...planned, ...steps.stop()],
      'run resumed',
      'person said answer',
      ...rest(2),
    ])
    expect(await later.prompt('code#2')).toContain(
      "What 'person' said about the last one:\n<<<FEEDBACK\nThe settings page.\nFEEDBACK>>>",
    )
  })

  it('an accident that three tries did not mend is tried again after an approval (R001-132)', async () => {
    const run = await playPipeline({
      workflow: soon,
      roles: { plan_reviewer: [{ ends: { exit: 9 } }, approves], ...stopAtCode },
      ...person(['approve']),
    })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(), 'plan_review#1 started'],
      ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 9', 'crash, again after 10 ms'],
      ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 9', 'crash, again after 20 ms'],
      ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 9'],
      'answer refused for good: the agent ended with exit code 9 (3 times)',
      'plan_review#1 failed crash',
      ...[asked('plan_review'), 'person said approve'],
      ...[...steps.planApproved(2), ...steps.stop()],
    ])
  })
})

describe.concurrent('a gate that is not met', () => {
  const out = [
    ...planned,
    ...[...steps.testsFail(1), 'route code -> code (1 of 2)'],
    ...[...steps.testsFail(2), 'route code -> code (2 of 2)'],
    ...steps.testsFail(3),
  ]
  const threeTimes = [broken(1), broken(2), broken(3)]

  it("cannot be approved away: 'approve' is not taken, 'reject' begins the rounds anew (C-63, C-10)", async () => {
    const { askPerson, questions } = person(['approve'], ['reject', 'Do not touch the menu.'])
    const run = await playPipeline({ roles: { developer: [...threeTimes, developed] }, askPerson })
    expect(sequence(run)).toEqual([
      ...[...out, asked('code', 'reject, answer'), 'person said reject'],
      'route code -> code (1 of 2)',
      ...rest(4),
    ])
    expect(questions.map(({ verbs }) => verbs)).toEqual([
      ['reject', 'answer'],
      ['reject', 'answer'],
    ])
    expect(await run.prompt('code#4')).toContain('<<<FEEDBACK\nDo not touch the menu.\nFEEDBACK>>>')
  })

  it("an 'approve' that was sent is passed over, and the run waits on; an 'answer' runs the step again (C-63)", async () => {
    const run = await playPipeline({ roles: { developer: [...threeTimes, blocked] } })
    const approved = await run.tell('approve')
    expect(approved.end).toMatchObject({ type: 'waiting', exitCode: 3 })
    const answered = await approved.tell('answer', 'The word BROKEN is not allowed.')
    expect(sequence(answered)).toEqual([
      ...[...out, ...steps.asks('code', 'reject, answer')],
      ...['run resumed', 'run waits at code'],
      ...['run resumed', 'person said answer'],
      ...[...steps.stop(4)],
    ])
    expect(await answered.prompt('code#4')).toContain('The word BROKEN is not allowed.')
  })
})
