import { describe, expect, it } from 'vitest'
import { dataOf, emittedIn, playScripted, saidIn } from '../../test/support/scripted-run.ts'
import type { Script } from '../../test/support/scripted-run.ts'
import { agent, call, check, each, reviewer, to, workflowOf } from '../../test/support/workflow-values.ts'
import { textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { EachStep, Workflow } from '../model/workflow.ts'

/** A plan with these tasks, then the list, then one step after it. */
function planned(
  tasks: Json,
  more: Partial<EachStep> = {},
  rest: Partial<Workflow> = {},
): {
  workflow: Workflow
  script: Script
} {
  const list = each('work', { list: 'plan.tasks', steps: [agent('code')], ...more })
  return {
    workflow: workflowOf([agent('plan'), list, agent('after')], rest),
    script: { plan: [{ answer: { tasks } }] },
  }
}

const two = [{ id: 'T1' }, { id: 'T2' }]

function itemsIn(lines: Parameters<typeof dataOf>[0]): string[] {
  return dataOf(lines, 'item.finished').map(({ item, outcome }) => `${textOf(item)} ${textOf(outcome)}`)
}

describe('each', () => {
  it('runs its steps for every item, as listed', async () => {
    const { workflow, script } = planned(two, { steps: [agent('code'), check('test')] })
    const { performed, lines } = await playScripted({ workflow, script })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T1/test#1', 'T2/code#1', 'T2/test#1', 'after#1'])
    expect(itemsIn(lines)).toEqual(['T1 ok', 'T2 ok'])
  })

  it('takes the list of an input too, and items that are no objects have a number for an id', async () => {
    const list = each('work', { list: '{files}', steps: [agent('code')] })
    const { requests } = await playScripted({ workflow: [list], values: { files: ['a.ts', 'b.ts'] } })
    expect(requests.map(({ key, values }) => [key, values['item']])).toEqual([
      ['work#1/1/code#1', 'a.ts'],
      ['work#1/2/code#1', 'b.ts'],
    ])
  })

  it('an empty list is done', async () => {
    const { end, performed } = await playScripted(planned([]))
    expect(performed).toEqual(['plan#1', 'after#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('what is no list ends failed with the reason', async () => {
    const { end } = await playScripted(planned('T1, T2'))
    expect(end).toMatchObject({ outcome: 'failed', step: 'work', reason: "'plan.tasks' is not a list" })
  })

  it('runs the items in the order that depends_on asks for (R004-16)', async () => {
    const tasks = [{ id: 'T1', depends_on: ['T3'] }, { id: 'T2' }, { id: 'T3', dependsOn: ['T2'] }]
    const { performed } = await playScripted(planned(tasks))
    expect(performed.slice(1, -1)).toEqual(['T2/code#1', 'T3/code#1', 'T1/code#1'])
  })

  it.each<[string, JsonObject[], string]>([
    [
      'a cycle',
      [
        { id: 'T1', depends_on: ['T2'] },
        { id: 'T2', depends_on: ['T1'] },
      ],
      'in a circle',
    ],
    ['an unknown id', [{ id: 'T1', depends_on: ['T9'] }], "'T9', which does not exist"],
    ['an id twice', [{ id: 'T1' }, { id: 'T1' }], "two items have the id 'T1'"],
  ])('refuses %s before any agent is asked (C-48)', async (_name, tasks, reason) => {
    const { workflow, script } = planned(tasks, { on: { items: to('plan', { limit: 1, then: 'fail' }) } })
    const { performed, requests, end } = await playScripted({ workflow, script })
    expect(performed).toEqual(['plan#1', 'plan#2'])
    expect(requests[1]?.feedback[0]?.text).toContain(reason)
    expect(end).toMatchObject({ outcome: 'revise', step: 'work' })
  })

  it('only keeps the named ids (R002-51)', async () => {
    const tasks = [{ id: '1.1' }, { id: '1.2' }, { id: '2.1' }]
    const { workflow, script } = planned(tasks, { only: '{tasks}' })
    const { performed } = await playScripted({ workflow, script, values: { tasks: ['2.1', '1.1'] } })
    expect(performed.slice(1, -1)).toEqual(['1.1/code#1', '2.1/code#1'])
    const all = await playScripted({ workflow, script, values: { tasks: [] } })
    expect(all.performed).toHaveLength(5)
  })

  it('an id in only that does not exist is refused', async () => {
    const { workflow, script } = planned(two, { only: '{tasks}' })
    const { end } = await playScripted({ workflow, script, values: { tasks: ['T7'] } })
    expect(end).toMatchObject({ outcome: 'revise', reason: "there is no item 'T7'" })
  })

  it('an id may be any text that an agent thinks of: it leads neither to other keys nor to other folders', async () => {
    const ids = ['a>b', '../../x', '#1', '..', '', '1.1', 'a b/c', 'ä']
    const { requests } = await playScripted(planned(ids.map((id) => ({ id }))))
    const keys = requests.slice(1, -1).map(({ key }) => key)
    expect(new Set(keys).size).toBe(ids.length)
    for (const key of keys) {
      expect(key).not.toContain('>')
      expect(key.split('/')).toHaveLength(3)
      expect(key.split('/')[1]).not.toMatch(/^\./)
    }
    expect(keys).toContain('work#1/1.1/code#1')
  })

  it('sees the results of the steps around it, and its items their own', async () => {
    const steps = [agent('code', { reads: ['plan'] }), agent('test', { reads: ['code'] })]
    const { workflow, script } = planned(two, { steps })
    const { requests } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': [{ writes: ['t1.md'] }] },
    })
    const reads = requests.map(({ reads: given }) =>
      given.map((item) => ('name' in item ? item.name : item.type)),
    )
    expect(reads.slice(1, 5)).toEqual([['plan'], ['code'], ['plan'], ['code']])
    expect(requests[2]?.reads).toEqual([{ type: 'artifact', name: 'code', paths: ['t1.md'], earlier: false }])
    expect(requests[4]?.reads).toEqual([{ type: 'answer', name: 'code', value: {} }])
  })
})

describe('attempts', () => {
  it('a pass that does not end ok starts the next with the reasons as feedback, until attempts are used (R004-138)', async () => {
    const steps = [agent('code'), reviewer('review')]
    const { workflow, script } = planned([{ id: 'T1' }], { steps, attempts: 3 })
    const { performed, requests, end } = await playScripted({
      workflow,
      script: {
        ...script,
        code: [{ outcome: 'failed', reason: 'crashed' }, 'ok'],
        review: [
          { outcome: 'revise', label: 'REJECT', answer: { feedback: 'no tests' }, writes: ['r1.md'] },
          'APPROVE',
        ],
      },
    })
    expect(performed).toEqual([
      'plan#1',
      'T1/code#1',
      'T1/code#2',
      'T1/review#1',
      'T1/code#3',
      'T1/review#2',
      'after#1',
    ])
    expect(requests.map(({ feedback }) => feedback)).toEqual([
      [],
      [],
      [{ from: 'code', text: 'crashed', paths: [] }],
      [],
      [{ from: 'review', text: 'no tests', paths: ['r1.md'] }],
      [],
      [],
    ])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('fix cycles come first, attempts second, and counts begin anew with every attempt (C-46, R004-146)', async () => {
    const steps = [agent('code'), check('test', { on: { fail: to('code', { limit: 2, then: 'fail' }) } })]
    const { workflow, script } = planned([{ id: 'T1' }], { steps, attempts: '{max_attempts}' })
    const { performed, end } = await playScripted({
      ...{ workflow, script: { ...script, test: ['fail'] }, values: { max_attempts: 2 } },
    })
    expect(performed.filter((one) => one.startsWith('T1/code'))).toEqual([
      ...['T1/code#1', 'T1/code#2', 'T1/code#3', 'T1/code#4', 'T1/code#5', 'T1/code#6'],
    ])
    expect(end).toMatchObject({ outcome: 'revise', step: 'work' })
  })

  it('attempts below one are one', async () => {
    const { performed } = await playScripted(planned([{ id: 'T1' }], { attempts: 0 }))
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'after#1'])
  })

  it('only after the last attempt does the outcome go to the on of the each', async () => {
    const { workflow, script } = planned(two, {
      attempts: 2,
      on: { failed: to('plan', { limit: 1, then: 'fail' }) },
    })
    const { performed } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': ['failed', 'failed', 'ok'] },
    })
    expect(performed).toEqual([
      ...['plan#1', 'T1/code#1', 'T1/code#2', 'plan#2', 'T1/code#3', 'T2/code#1', 'after#1'],
    ])
  })
})

describe('items that fail', () => {
  it('without a route end the list there', async () => {
    const { workflow, script } = planned(two)
    const { performed, end } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': [{ outcome: 'failed', reason: 'crashed' }] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1'])
    expect(end).toMatchObject({ outcome: 'failed', step: 'work', reason: 'crashed' })
  })

  it('with continue are recorded as failed, and the list goes on and ends ok', async () => {
    const { workflow, script } = planned(two, { on: { else: to('continue') } })
    const { performed, lines, end } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': [{ outcome: 'revise', reason: 'no tests' }] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T2/code#1', 'after#1'])
    expect(dataOf(lines, 'item.finished')).toEqual([
      { step: 'work', item: 'T1', outcome: 'failed', reason: 'no tests' },
      { step: 'work', item: 'T2', outcome: 'ok' },
    ])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('continue may stand in a step of the item too: then no further attempt is made', async () => {
    const steps = [agent('code', { on: { blocked: to('continue') } })]
    const { workflow, script } = planned(two, { steps, attempts: 3 })
    const { performed, lines } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': ['blocked'] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T2/code#1', 'after#1'])
    expect(itemsIn(lines)).toEqual(['T1 failed', 'T2 ok'])
  })

  it('a verdict word called continue is a label like any other', async () => {
    const role = { verdicts: { status: { done: 'ok', continue: 'revise' } } } as const
    const { workflow, script } = planned(two, { steps: [agent('code', { role })], attempts: 2 })
    const { performed, end } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': ['continue'] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T1/code#2'])
    expect(end).toMatchObject({ outcome: 'revise' })
  })

  it('block the items that depend on them, which are recorded and not run', async () => {
    const tasks = [
      { id: 'T1' },
      { id: 'T2', depends_on: ['T1'] },
      { id: 'T3', depends_on: ['T2'] },
      { id: 'T4' },
    ]
    const { workflow, script } = planned(tasks, { on: { else: to('continue') } })
    const { performed, lines } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': ['failed'] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T4/code#1', 'after#1'])
    expect(itemsIn(lines)).toEqual(['T1 failed', 'T2 blocked', 'T3 blocked', 'T4 ok'])
  })

  it('leave their number and ids for later steps', async () => {
    const { workflow, script } = planned(two, { on: { else: to('continue') } })
    const { requests } = await playScripted({ workflow, script: { ...script, 'T2/code': ['failed'] } })
    expect(requests.at(-1)?.values['work']).toMatchObject({ count: 2, failed_items: ['T2'], label: 'ok' })
  })
})

describe('a sub-plan', () => {
  const fragments = { subplan: [agent('replan'), check('redo')] }
  const on = { else: call('subplan', { limit: 1, maxDepth: 3, then: 'continue' }) }

  it('comes third, after fix cycles and attempts, with the item and the reasons (R004-139)', async () => {
    const { workflow, script } = planned(two, { attempts: 2, on }, { fragments })
    const { performed, requests, lines } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': [{ outcome: 'failed', reason: 'crashed' }] },
    })
    expect(performed).toEqual([
      ...['plan#1', 'T1/code#1', 'T1/code#2', 'T1/replan#1', 'T1/redo#1', 'T2/code#1', 'after#1'],
    ])
    expect(requests[3]).toMatchObject({
      feedback: [{ from: 'code', text: 'crashed' }],
      values: { item: { id: 'T1' }, feedback: 'crashed' },
    })
    expect(itemsIn(lines)).toEqual(['T1 ok', 'T2 ok'])
  })

  it('that fails is looked up again: failed and go on comes last (C-46, R004-141)', async () => {
    const { workflow, script } = planned(two, { on }, { fragments })
    const { performed, lines, end } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': ['failed'], 'T1/redo': [{ outcome: 'revise', reason: 'still red' }] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T1/replan#1', 'T1/redo#1', 'T2/code#1', 'after#1'])
    expect(itemsIn(lines)).toEqual(['T1 failed', 'T2 ok'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('has its limit for every item', async () => {
    const { workflow, script } = planned(two, { on }, { fragments })
    const { performed } = await playScripted({ workflow, script: { ...script, code: ['failed'] } })
    expect(performed.filter((one) => one.includes('replan'))).toEqual(['T1/replan#1', 'T2/replan#1'])
  })

  it('is called as often as its limit says, and never once more for the list itself', async () => {
    const twice = { failed: call('subplan', { limit: 2, then: 'ask' }) }
    const { workflow, script } = planned(two, { on: twice }, { fragments })
    const { performed, waiting } = await playScripted({
      workflow,
      script: { ...script, 'T1/code': ['failed'], replan: ['failed'] },
    })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'T1/replan#1', 'T1/replan#2'])
    expect(waiting).toMatchObject({ step: 'work' })
  })

  it('goes on with the next item also where a route back was used up before', async () => {
    const back = { failed: to('plan', { limit: 1, then: 'continue' }) }
    const { workflow, script } = planned(two, { on: back })
    const { performed, end } = await playScripted({ workflow, script: { ...script, 'T1/code': ['failed'] } })
    expect(performed).toEqual(['plan#1', 'T1/code#1', 'plan#2', 'T1/code#2', 'T2/code#1', 'after#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('may have lists and sub-plans of its own, down to max_depth (C-60, C-87)', async () => {
    const deep = {
      subplan: [agent('replan'), each('again', { list: 'replan.tasks', steps: [agent('small')], on })],
    }
    const { workflow, script } = planned([{ id: 'T1' }], { on }, { fragments: deep })
    const { requests, end } = await playScripted({
      workflow,
      script: {
        ...script,
        code: ['failed'],
        small: ['failed'],
        replan: [{ answer: { tasks: [{ id: 'S' }] } }],
      },
    })
    expect(requests.filter(({ step }) => step.id === 'replan')).toHaveLength(3)
    expect(end).toMatchObject({ outcome: 'ok' })
  })
})

describe('what an each says', () => {
  it('its moments are its items’', async () => {
    const { workflow, script } = planned(two, {
      on: { else: to('continue') },
      says: { start: 'Task {item.id}.', ok: 'Task {item.id} done.', else: 'Task {item.id}: {reason}.' },
      emits: { start: { type: 'STEP_START' }, ok: { type: 'STEP_COMPLETE' }, else: { type: 'STEP_BLOCKED' } },
    })
    const { lines } = await playScripted({
      workflow,
      script: { ...script, 'T2/code': [{ outcome: 'failed', reason: 'crashed' }] },
    })
    expect(saidIn(lines)).toEqual([
      'ORCHESTRATOR: Task T1.',
      'ORCHESTRATOR: Task T1 done.',
      'ORCHESTRATOR: Task T2.',
      'ORCHESTRATOR: Task T2: crashed.',
    ])
    expect(emittedIn(lines)).toEqual(['STEP_START', 'STEP_COMPLETE', 'STEP_START', 'STEP_BLOCKED'])
  })
})
