import { describe, expect, it } from 'vitest'
import { dataOf, playScripted, routesIn } from '../../test/support/scripted-run.ts'
import type { Said } from '../../test/support/scripted-run.ts'
import {
  action,
  agent,
  call,
  check,
  each,
  question,
  reviewer,
  to,
  workflowOf,
} from '../../test/support/workflow-values.ts'
import type { StepResult } from '../model/step-result.ts'

const rejected: Partial<StepResult> = { outcome: 'revise', label: 'REJECT', answer: { feedback: 'no tests' } }

/** plan, a review that is asked about after one lap, code. */
function reviewed(...person: Said[]): Parameters<typeof playScripted>[0] {
  const on = { REJECT: to('plan', { limit: 1, then: 'ask' }), APPROVE: to('code') }
  return {
    workflow: [agent('plan'), reviewer('review', { on }), agent('near'), agent('code')],
    script: { review: [rejected, rejected, rejected, 'APPROVE'] },
    person,
  }
}

describe('ask as a target', () => {
  it('without anybody there the run waits, with the question and what may be said', async () => {
    const { waiting, end, lines } = await playScripted(reviewed())
    expect(end).toBeUndefined()
    expect(waiting).toEqual({
      step: 'review',
      text: "Step 'review' ended revise (REJECT): no tests",
      verbs: ['approve', 'reject', 'answer'],
    })
    expect(dataOf(lines, 'person.asked')).toHaveLength(1)
    expect(dataOf(lines, 'run.waiting')).toHaveLength(1)
  })

  it('approve takes the ok route of the step after revise, that of its own word included', async () => {
    const { performed, end, lines } = await playScripted(reviewed('approve'))
    expect(performed).toEqual(['plan#1', 'review#1', 'plan#2', 'review#2', 'code#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
    expect(dataOf(lines, 'person.answered')).toEqual([{ step: 'review', verb: 'approve', text: '' }])
  })

  it('approve takes the ok route after escalate', async () => {
    const { performed } = await playScripted({
      workflow: [agent('a', { on: { escalate: to('ask') } }), agent('b')],
      ...{ script: { a: ['escalate'] }, person: ['approve'] },
    })
    expect(performed).toEqual(['a#1', 'b#1'])
  })

  it.each(['failed', 'blocked'])('approve runs the step again after %s (R000-83)', async (outcome) => {
    const { performed } = await playScripted({
      workflow: [agent('a', { on: { failed: to('ask'), blocked: to('ask') } }), agent('b')],
      ...{ script: { a: [outcome, 'ok'] }, person: ['approve'] },
    })
    expect(performed).toEqual(['a#1', 'a#2', 'b#1'])
  })

  it('reject takes the revise route with the counts at zero, with the reason beside the findings', async () => {
    const { performed, requests, lines } = await playScripted(reviewed('reject add a test for it'))
    expect(performed.slice(0, 6)).toEqual(['plan#1', 'review#1', 'plan#2', 'review#2', 'plan#3', 'review#3'])
    expect(requests[4]?.feedback).toEqual([
      { from: 'review', text: 'no tests', paths: [] },
      { from: 'person', text: 'add a test for it', paths: [] },
    ])
    expect(routesIn(lines)).toEqual(['review > plan (REJECT 1)', 'review > plan (REJECT 1)'])
  })

  it('after a reject the route may be taken as often as before', async () => {
    const { performed, questions } = await playScripted({
      ...reviewed('reject again', 'approve'),
      script: { review: [rejected] },
    })
    // Once more by the person, and then the limit is used up.
    expect(performed.filter((one) => one.startsWith('plan'))).toHaveLength(3)
    expect(questions).toHaveLength(2)
  })

  it('reject after a failure takes the revise route too, and says so', async () => {
    const on = { failed: to('ask'), revise: to('plan', { limit: 2, then: 'fail' }) }
    const { performed, lines } = await playScripted({
      workflow: [agent('plan'), agent('code', { on })],
      ...{ script: { code: [{ outcome: 'failed', label: 'crash' }, 'ok'] }, person: ['reject plan anew'] },
    })
    expect(performed).toEqual(['plan#1', 'code#1', 'plan#2', 'code#2'])
    expect(routesIn(lines)).toEqual(['code > plan (revise 1)'])
  })

  it('reject takes a revise route that ends the list or calls a fragment', async () => {
    const failing = await playScripted({
      workflow: [agent('a', { on: { failed: to('ask'), revise: to('fail') } }), agent('b')],
      ...{ script: { a: ['failed'] }, person: ['reject not like this'] },
    })
    expect(failing.performed).toEqual(['a#1'])
    expect(failing.end).toMatchObject({ outcome: 'revise', reason: 'not like this' })

    const on = { failed: to('ask'), revise: call('fix', { limit: 1, then: 'fail' }) }
    const calling = await playScripted({
      workflow: workflowOf([agent('a', { on }), agent('b')], { fragments: { fix: [agent('mend')] } }),
      ...{ script: { a: ['failed'] }, person: ['reject mend it'] },
    })
    expect(calling.performed).toEqual(['a#1', 'mend#1', 'b#1'])
    expect(calling.requests[1]?.feedback).toContainEqual({ from: 'person', text: 'mend it', paths: [] })
  })

  it('reject runs the step again where it has no revise route', async () => {
    const { performed, requests } = await playScripted({
      workflow: [agent('a', { on: { failed: to('ask') } }), agent('b')],
      ...{ script: { a: [{ outcome: 'failed', reason: 'crashed' }, 'ok'] }, person: ['reject try harder'] },
    })
    expect(performed).toEqual(['a#1', 'a#2', 'b#1'])
    expect(requests[1]?.feedback).toEqual([
      { from: 'a', text: 'crashed', paths: [] },
      { from: 'person', text: 'try harder', paths: [] },
    ])
  })

  it('answer runs the step again with the text', async () => {
    const { performed, requests } = await playScripted(reviewed('answer it is fine as it is'))
    expect(performed.slice(0, 5)).toEqual(['plan#1', 'review#1', 'plan#2', 'review#2', 'review#3'])
    expect(requests[4]?.feedback).toEqual([{ from: 'person', text: 'it is fine as it is', paths: [] }])
  })

  it('nobody can approve away an unmet gate: approve is not among what may be said', async () => {
    const gates = [{ gate: 'tests_pass', met: false, facts: 'exit code 1' }]
    const { questions, performed } = await playScripted({
      workflow: [agent('code', { on: { revise: to('ask') } }), agent('next')],
      script: { code: [{ outcome: 'revise', label: 'tests_pass', gates }, 'ok'] },
      person: ['approve', 'answer use node --test'],
    })
    expect(questions[0]).toMatchObject({
      verbs: ['reject', 'answer'],
      text: "Step 'code' ended revise (tests_pass): tests_pass: exit code 1",
    })
    expect(performed).toEqual(['code#1', 'code#2', 'next#1'])
  })

  it('a verdict can be overruled, a gate cannot: approve checks what the engine can check first', async () => {
    const step = reviewer('review', {
      on: { revise: to('ask') },
      gates: [{ name: 'tests_pass', parameters: {} }],
    })
    const scripted = { workflow: [step, action('deliver')], script: { review: [rejected, 'APPROVE'] } }
    const met = await playScripted({ ...scripted, person: ['approve'] })
    expect(met.performed).toEqual(['review#1', 'deliver#1'])
    const unmet = await playScripted({ ...scripted, person: ['approve'], unmet: { review: 'tests_pass' } })
    expect(unmet.performed).toEqual(['review#1'])
    expect(unmet.waiting).toMatchObject({ step: 'review', verbs: ['reject', 'answer'] })
  })

  it('the gates of an action are checked again too, before a person leads past it', async () => {
    const gates = [{ name: 'tests_pass_clean', parameters: {} }]
    const step = action('deliver', { on: { moved: to('ask') }, gates })
    const scripted = {
      workflow: [step],
      script: { deliver: [{ outcome: 'revise', label: 'moved' } as const] },
    }
    const met = await playScripted({ ...scripted, person: ['approve'] })
    expect(met.end?.outcome).toBe('ok')
    const unmet = { deliver: 'tests_pass_clean' }
    const { waiting } = await playScripted({ ...scripted, person: ['approve'], unmet })
    expect(waiting).toMatchObject({ step: 'deliver', verbs: ['reject', 'answer'] })
  })

  it('what people have said in the run is there for the gates of every later step', async () => {
    const { requests } = await playScripted({
      workflow: [agent('plan', { on: { failed: to('ask') } }), agent('code')],
      script: { plan: ['failed', 'failed', 'ok'] },
      person: ['answer delete src/old.ts', 'approve'],
    })
    expect(requests.map(({ agreed }) => agreed.said)).toEqual([
      ...[[], ['delete src/old.ts'], ['delete src/old.ts'], ['delete src/old.ts']],
    ])
  })

  it('a step that is made again is told again what it was told before', async () => {
    const { requests } = await playScripted({
      workflow: [
        agent('plan', { on: { failed: to('ask') } }),
        reviewer('review', { on: { REJECT: to('plan', { limit: 2, then: 'fail' }) } }),
      ],
      script: { plan: ['ok', 'failed', 'ok'], review: [rejected, 'APPROVE'] },
      person: ['answer use a map'],
    })
    expect(requests[3]?.feedback).toEqual([
      { from: 'review', text: 'no tests', paths: [] },
      { from: 'person', text: 'use a map', paths: [] },
    ])
  })

  it('nor a check that failed, in the list or inside of an item or a fragment', async () => {
    const red: Partial<StepResult> = { outcome: 'revise', label: 'fail', reason: 'exit code 1' }
    const plain = await playScripted({
      workflow: [check('test', { on: { fail: to('ask') } }), action('deliver')],
      script: { test: [red] },
    })
    const list = each('work', { list: '{tasks}', steps: [check('test')], on: { revise: to('ask') } })
    const item = await playScripted({
      ...{ workflow: [list, action('deliver')], values: { tasks: ['a'] }, script: { test: [red] } },
    })
    const on = { failed: call('fix', { limit: 1, then: 'fail' }), revise: to('ask') }
    const called = await playScripted({
      workflow: workflowOf([agent('code', { on })], { fragments: { fix: [check('test')] } }),
      script: { code: ['failed'], test: [red] },
    })
    for (const { waiting } of [plain, item, called]) expect(waiting?.verbs).toEqual(['reject', 'answer'])
  })

  it('what the question does not take is passed over, and it goes on waiting', async () => {
    const gates = [{ gate: 'tests_pass', met: false, facts: 'exit code 1' }]
    const { waiting, questions } = await playScripted({
      workflow: [agent('code', { on: { revise: to('ask') } })],
      ...{ script: { code: [{ outcome: 'revise', gates }] }, person: ['approve', 'approve'] },
    })
    expect(questions).toHaveLength(3)
    expect(waiting).toBeDefined()
  })

  it('a message left by a second process answers one question, and the next one waits', async () => {
    const scripted = {
      workflow: [agent('a', { on: { failed: to('ask') } })],
      script: { a: ['failed'] },
    }
    const first = await playScripted(scripted)
    first.run.inbox.push({ id: 'm1', verb: 'approve', text: '' })
    const second = await playScripted({ ...scripted, run: first.run })
    expect(second.performed).toEqual(['a#2'])
    expect(second.waiting).toMatchObject({ step: 'a' })
  })
})

describe('an ask step', () => {
  const workflow = workflowOf([
    agent('write'),
    question('person', {
      question: "Merge '{branch}'?",
      on: { revise: to('write', { limit: 9, then: 'fail' }) },
    }),
    action('deliver'),
  ])

  it('waits with its question', async () => {
    const { waiting } = await playScripted({ workflow })
    expect(waiting).toEqual({ step: 'person', text: "Merge 'task/1-demo'?", verbs: ['approve', 'reject'] })
  })

  it('approve ends it ok', async () => {
    const { performed, end } = await playScripted({ workflow, person: ['approve'] })
    expect(performed).toEqual(['write#1', 'deliver#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('reject ends it revise, and the reason goes back', async () => {
    const { performed, requests } = await playScripted({
      workflow,
      person: ['reject name it well', 'approve'],
    })
    expect(performed).toEqual(['write#1', 'write#2', 'deliver#1'])
    expect(requests[1]?.feedback).toEqual([{ from: 'person', text: 'name it well', paths: [] }])
  })

  it('free text is never an approval', async () => {
    const { performed, waiting } = await playScripted({ workflow, person: ['answer yes, approve it'] })
    expect(performed).toEqual(['write#1'])
    expect(waiting).toMatchObject({ step: 'person' })
  })

  it('may itself lead to ask, when its own route is used up', async () => {
    const on = { revise: to('write', { limit: 1, then: 'ask' }) }
    const { questions, performed } = await playScripted({
      workflow: [agent('write'), question('person', { on }), action('deliver')],
      person: ['reject no', 'reject still no', 'approve'],
    })
    expect(questions.map(({ text }) => text)).toEqual([
      'Go on?',
      'Go on?',
      "Step 'person' ended revise: still no",
    ])
    expect(performed).toEqual(['write#1', 'write#2', 'deliver#1'])
  })
})
