import { describe, expect, it } from 'vitest'
import { dataOf, playScripted, routesIn } from '../../test/support/scripted-run.ts'
import type { StepResult } from '../model/step-result.ts'
import { action, agent, call, check, reviewer, to, workflowOf } from '../../test/support/workflow-values.ts'

describe('a list of steps', () => {
  it('runs its steps in order and ends ok with the last', async () => {
    const { performed, end } = await playScripted({ workflow: [agent('a'), check('b'), action('c')] })
    expect(performed).toEqual(['a#1', 'b#1', 'c#1'])
    expect(end).toMatchObject({ outcome: 'ok', exitCode: 0, step: 'c', reason: '' })
  })

  it('ends with the outcome of a step that has no route for it (R000-49)', async () => {
    const { performed, end } = await playScripted({
      workflow: [agent('a'), agent('b'), agent('c')],
      script: { b: [{ outcome: 'blocked', reason: 'no access' }] },
    })
    expect(performed).toEqual(['a#1', 'b#1'])
    expect(end).toMatchObject({ outcome: 'blocked', exitCode: 1, step: 'b', reason: 'no access' })
  })

  it('leaves out the steps between a step and its next', async () => {
    const workflow = [agent('a', { next: 'c' }), agent('b'), agent('c')]
    expect((await playScripted({ workflow })).performed).toEqual(['a#1', 'c#1'])
  })

  it('ends where a route leads to end', async () => {
    const workflow = [agent('a', { on: { ok: to('end') } }), agent('b')]
    const { performed, end } = await playScripted({ workflow })
    expect(performed).toEqual(['a#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('goes back with feedback, and on when the findings are dealt with (R000-64, R001-44)', async () => {
    const on = { REJECT: to('plan', { limit: 3, then: 'ask' }) }
    const { performed, requests, lines } = await playScripted({
      workflow: [agent('plan'), reviewer('review', { on }), agent('code')],
      script: {
        review: [
          { outcome: 'revise', label: 'REJECT', answer: { feedback: 'no tests' }, writes: ['review_v1.md'] },
          'APPROVE',
        ],
      },
    })
    expect(performed).toEqual(['plan#1', 'review#1', 'plan#2', 'review#2', 'code#1'])
    expect(requests.map(({ feedback }) => feedback)).toEqual([
      [],
      [],
      [{ from: 'review', text: 'no tests', paths: ['review_v1.md'] }],
      [],
      [],
    ])
    expect(routesIn(lines)).toEqual(['review > plan (REJECT 1)'])
  })

  it('says of a route which label it was for, where it leads, how often by now and at most', async () => {
    const on = { revise: to('a', { limit: 3, then: 'ask' }) }
    const { lines } = await playScripted({
      workflow: [agent('a'), agent('b', { on })],
      script: { b: ['revise', 'revise', 'ok'] },
    })
    expect(dataOf(lines, 'route.taken')).toEqual([
      { from: 'b', to: 'a', by: 'revise', count: 1, limit: 3 },
      { from: 'b', to: 'a', by: 'revise', count: 2, limit: 3 },
    ])
  })

  it('stops for the person when a loop is used up, never passing silently (C-10)', async () => {
    const on = { REJECT: to('plan', { limit: 2, then: 'ask' }) }
    const { performed, waiting } = await playScripted({
      workflow: [agent('plan'), reviewer('review', { on }), agent('code')],
      script: { review: ['REJECT'] },
    })
    expect(performed).toEqual(['plan#1', 'review#1', 'plan#2', 'review#2', 'plan#3', 'review#3'])
    expect(waiting).toMatchObject({ step: 'review', verbs: ['approve', 'reject', 'answer'] })
  })
})

describe('counts of routes', () => {
  it('going back over a step sets the counts of its routes to zero', async () => {
    // Each plan may be rejected twice; a bad code review asks for a new plan, which may be rejected twice again.
    const workflow = [
      agent('plan'),
      reviewer('plan_review', { on: { REJECT: to('plan', { limit: 2, then: 'fail' }) } }),
      agent('code'),
      reviewer('code_review', { on: { REJECT: to('plan', { limit: 1, then: 'fail' }) } }),
    ]
    const { performed, end } = await playScripted({
      workflow,
      script: {
        plan_review: ['REJECT', 'REJECT', 'APPROVE', 'REJECT', 'REJECT', 'APPROVE'],
        code_review: ['REJECT', 'APPROVE'],
      },
    })
    expect(performed.filter((one) => one.startsWith('plan_review'))).toHaveLength(6)
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('a route never resets the counts of its own step: two labels that lead back share no time', async () => {
    const on = { X: to('a', { limit: 1, then: 'fail' }), Y: to('a', { limit: 1, then: 'fail' }) }
    const { performed, end } = await playScripted({
      workflow: [agent('a'), check('b', { on })],
      script: { b: ['X', 'Y', 'X'] },
    })
    expect(performed).toEqual(['a#1', 'b#1', 'a#2', 'b#2', 'a#3', 'b#3'])
    expect(end).toMatchObject({ outcome: 'revise', step: 'b' })
  })

  it('a step may lead to itself as often as its limit says', async () => {
    const on = { plan_has_parts: to('plan', { limit: 2, then: 'fail' }) }
    const unmet: Partial<StepResult> = {
      outcome: 'revise',
      label: 'plan_has_parts',
      gates: [{ gate: 'plan_has_parts', met: false, facts: "the plan lacks: '## Test Scenarios'" }],
    }
    const { requests, end } = await playScripted({
      workflow: [agent('plan', { on })],
      script: { plan: [unmet] },
    })
    expect(requests.map(({ visit }) => visit)).toEqual([1, 2, 3])
    expect(requests[1]?.feedback).toEqual([
      { from: 'plan', text: "plan_has_parts: the plan lacks: '## Test Scenarios'", paths: [] },
    ])
    expect(end).toMatchObject({ reason: "plan_has_parts: the plan lacks: '## Test Scenarios'" })
  })

  it('a limit may be an input of the run, as a number or as text', async () => {
    const on = { revise: to('a', { limit: '{most}', then: 'fail' }) }
    for (const most of [2, '2']) {
      const { performed } = await playScripted({
        ...{ workflow: [agent('a', { on })], script: { a: ['revise'] }, values: { most } },
      })
      expect(performed).toHaveLength(3)
    }
  })

  it('a limit that is no whole number counts as zero', async () => {
    const on = { revise: to('a', { limit: '{most}', then: 'fail' }) }
    for (const most of ['many', -1, 1.5]) {
      const { performed } = await playScripted({
        ...{ workflow: [agent('a', { on })], script: { a: ['revise'] }, values: { most } },
      })
      expect(performed).toEqual(['a#1'])
    }
  })
})

describe('the analysis of the pipeline', () => {
  const on = {
    APPROVE: to('plan'),
    REJECT: to('author', { limit: 3, then: 'ask' }),
    ESCALATE: to('research', { once: true, then: 'REJECT' }),
  }
  const workflow = workflowOf(
    [
      agent('investigate', { next: 'review' }),
      agent('research', { reads: ['investigate'] }),
      reviewer('review', { reads: ['investigate', 'research'], on }),
      agent('plan'),
    ],
    { modes: { bugfix: { from: 'investigate' }, research: { from: 'research' }, direct: { from: 'plan' } } },
  )
  const steps = async (mode: string, ...review: string[]): Promise<readonly string[]> =>
    (await playScripted({ workflow, mode, script: { review } })).performed.map(
      (one) => one.split('#')[0] ?? '',
    )

  it('begins where the mode says (R000-40, R000-41, R000-42)', async () => {
    expect(await steps('bugfix', 'APPROVE')).toEqual(['investigate', 'review', 'plan'])
    expect(await steps('research', 'APPROVE')).toEqual(['research', 'review', 'plan'])
    expect(await steps('direct')).toEqual(['plan'])
  })

  it('sends a rejected report back to whoever wrote it (R000-47, R001-34)', async () => {
    expect(await steps('bugfix', 'REJECT', 'APPROVE')).toEqual([
      ...['investigate', 'review', 'investigate', 'review', 'plan'],
    ])
    expect(await steps('research', 'REJECT', 'APPROVE')).toEqual([
      ...['research', 'review', 'research', 'review', 'plan'],
    ])
  })

  it('escalates to the researcher (R000-46, R001-35), whose report then counts', async () => {
    expect(await steps('bugfix', 'ESCALATE', 'REJECT', 'APPROVE')).toEqual([
      ...['investigate', 'review', 'research', 'review', 'research', 'review', 'plan'],
    ])
  })

  it('treats an escalation of a researcher’s report as a rejection (C-09)', async () => {
    expect(await steps('research', 'ESCALATE', 'APPROVE')).toEqual([
      ...['research', 'review', 'research', 'review', 'plan'],
    ])
  })

  it('counts both against one limit (C-09, C-10)', async () => {
    const { performed, waiting } = await playScripted({
      ...{ workflow, mode: 'research', script: { review: ['ESCALATE', 'REJECT'] } },
    })
    expect(performed.filter((one) => one.startsWith('research'))).toHaveLength(4)
    expect(waiting).toMatchObject({ step: 'review' })
  })
})

describe('when', () => {
  it('passes over a step whose condition does not hold', async () => {
    const workflow = [agent('a'), action('archive_it', { when: { archive: ['before_push'] } }), agent('c')]
    const before = await playScripted({ workflow, values: { archive: 'before_push' } })
    const manual = await playScripted({ workflow, values: { archive: 'manual' } })
    expect(before.performed).toEqual(['a#1', 'archive_it#1', 'c#1'])
    expect(manual.performed).toEqual(['a#1', 'c#1'])
    expect(dataOf(manual.lines, 'step.skipped')).toEqual([{ step: 'archive_it' }])
  })

  it('takes one of a list, numbers and booleans by their words, and needs every name', async () => {
    const step = agent('a', { when: { kind: ['code', 'docs'], deep: [true], n: [1] } })
    const runs = async (values: Record<string, string | number | boolean>): Promise<boolean> =>
      (await playScripted({ workflow: [step], values })).performed.length > 0
    expect(await runs({ kind: 'docs', deep: true, n: 1 })).toBe(true)
    expect(await runs({ kind: 'docs', deep: 'true', n: '1' })).toBe(true)
    expect(await runs({ kind: 'analysis', deep: true, n: 1 })).toBe(false)
    expect(await runs({ kind: 'code', deep: false, n: 1 })).toBe(false)
  })

  it('a step’s name stands for its label, or its outcome where it has none', async () => {
    const workflow = [
      check('test', { on: { else: to('explore') } }),
      agent('explore', { when: { test: ['no_tests', 'failed'] } }),
      agent('done', { when: { test: ['ok'] } }),
    ]
    const performed = async (...test: string[]): Promise<readonly string[]> =>
      (await playScripted({ workflow, script: { test } })).performed
    expect(await performed('no_tests')).toEqual(['test#1', 'explore#1'])
    expect(await performed('failed')).toEqual(['test#1', 'explore#1'])
    expect(await performed('ok')).toEqual(['test#1', 'done#1'])
  })

  it('passes over a step also when a route led to it', async () => {
    const workflow = [
      agent('a', { on: { ok: to('c') } }),
      agent('b'),
      agent('c', { when: { deep: [true] } }),
      agent('d'),
    ]
    expect((await playScripted({ workflow, values: { deep: false } })).performed).toEqual(['a#1', 'd#1'])
  })

  it('hands the feedback of the route on to the step that comes instead', async () => {
    const workflow = [
      check('a', { on: { fail: to('b') } }),
      agent('b', { when: { deep: [true] } }),
      agent('c'),
    ]
    const { requests } = await playScripted({
      ...{ workflow, values: { deep: false } },
      script: { a: [{ outcome: 'revise', label: 'fail', reason: 'exit code 1' }] },
    })
    expect(requests[1]?.feedback).toEqual([{ from: 'a', text: 'tests: exit code 1', paths: [] }])
  })

  it('ends ok where nothing is left to run', async () => {
    const { end, performed } = await playScripted({ workflow: [agent('a', { when: { deep: [true] } })] })
    expect(performed).toEqual([])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('an input keeps its value when a step of the same name has run', async () => {
    // As in the pipeline: the base has moved, so everything from the merge on is done once more.
    const workflow = [
      action('integrate'),
      action('archive', { when: { archive: ['before_push'] } }),
      action('deliver', { on: { moved: to('integrate', { limit: 2, then: 'ask' }) } }),
    ]
    const { performed, requests } = await playScripted({
      ...{ workflow, values: { archive: 'before_push', deliver: 'local' } },
      script: { deliver: ['moved', 'ok'] },
    })
    expect(performed).toEqual([
      'integrate#1',
      'archive#1',
      'deliver#1',
      'integrate#2',
      'archive#2',
      'deliver#2',
    ])
    expect(requests.at(-1)?.values['deliver']).toBe('local')
  })

  it('a route with once to a step that is passed over has an end', async () => {
    const workflow = [
      agent('research', { when: { deep: [true] } }),
      agent('review', { on: { escalate: to('research', { once: true, then: 'fail' }) } }),
    ]
    const { performed, end } = await playScripted({
      ...{ workflow, values: { deep: false }, script: { review: ['escalate'] } },
    })
    expect(performed).toEqual(['review#1', 'review#2'])
    expect(end).toMatchObject({ outcome: 'escalate' })
  })
})

describe('call', () => {
  const fragments = { fix: [agent('mend'), check('retest')] }

  it('runs a fragment, whose ok stands for the step’s', async () => {
    const workflow = workflowOf(
      [agent('code', { on: { failed: call('fix', { limit: 1, then: 'fail' }) } }), agent('next')],
      { fragments },
    )
    const { performed, requests, end } = await playScripted({
      workflow,
      script: { code: [{ outcome: 'failed', reason: 'crashed', answer: { feedback: 'help' } }] },
    })
    expect(performed).toEqual(['code#1', 'mend#1', 'retest#1', 'next#1'])
    expect(requests[1]).toMatchObject({
      key: 'code#1/fix/mend#1',
      feedback: [{ from: 'code', text: 'help' }],
    })
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('with its ok it takes the ok route of the step', async () => {
    const on = { ok: to('far'), failed: call('fix', { limit: 1, then: 'fail' }) }
    const workflow = workflowOf([agent('code', { on }), agent('near'), agent('far')], { fragments })
    const { performed } = await playScripted({ workflow, script: { code: ['failed'] } })
    expect(performed).toEqual(['code#1', 'mend#1', 'retest#1', 'far#1'])
  })

  it('an outcome that is not ok is looked up again in the same on', async () => {
    const on = { failed: call('fix', { limit: 1, then: 'fail' }), revise: to('near') }
    const workflow = workflowOf([agent('code', { on }), agent('far'), agent('near')], { fragments })
    const { performed, requests } = await playScripted({
      workflow,
      script: { code: ['failed'], retest: [{ outcome: 'revise', label: 'fail', reason: 'exit code 1' }] },
    })
    expect(performed).toEqual(['code#1', 'mend#1', 'retest#1', 'near#1'])
    expect(requests.at(-1)?.feedback).toEqual([{ from: 'code', text: 'tests: exit code 1', paths: [] }])
  })

  it('is taken again until its limit, without the step being tried again, and its files get new numbers', async () => {
    const on = { failed: call('fix', { limit: 2, then: 'fail' }) }
    const { performed, end } = await playScripted({
      workflow: workflowOf([agent('code', { on })], { fragments }),
      script: { code: ['failed'], mend: [{ outcome: 'failed', reason: 'cannot' }] },
    })
    expect(performed).toEqual(['code#1', 'mend#1', 'mend#2'])
    expect(end).toMatchObject({ outcome: 'failed', step: 'code', reason: 'cannot' })
  })

  it('goes no deeper than max_depth (C-60)', async () => {
    const on = { failed: call('fix', { limit: 1, maxDepth: 3, then: 'fail' }) }
    const workflow = workflowOf([agent('code', { on })], { fragments: { fix: [agent('mend', { on })] } })
    const { requests } = await playScripted({ workflow, script: { code: ['failed'], mend: ['failed'] } })
    expect(requests.map(({ key }) => key)).toEqual([
      'code#1',
      'code#1/fix/mend#1',
      'code#1/fix/mend#1/fix/mend#1',
      'code#1/fix/mend#1/fix/mend#1/fix/mend#1',
    ])
  })

  it('sees what the steps around it came to, and the steps after it see the step as ok', async () => {
    const on = { failed: call('fix', { limit: 1, then: 'fail' }) }
    const workflow = workflowOf([agent('code', { on }), agent('end_it', { when: { code: ['ok'] } })], {
      fragments: { fix: [agent('mend', { reads: ['code'] })] },
    })
    const { performed, requests } = await playScripted({
      workflow,
      script: { code: [{ outcome: 'failed', label: 'crash', answer: { a: 1 } }] },
    })
    expect(requests[1]?.reads).toEqual([{ type: 'answer', name: 'code', value: { a: 1 } }])
    expect(performed).toEqual(['code#1', 'mend#1', 'end_it#1'])
  })
})

describe('a mode with an end', () => {
  const steps = [
    agent('a'),
    reviewer('b', { on: { REJECT: to('a', { limit: 1, then: 'ask' }) } }),
    agent('c'),
  ]
  const workflow = workflowOf(steps, { modes: { first: { from: 'a', to: 'b' } } })

  it('stops after its last step', async () => {
    const { performed, end } = await playScripted({ workflow, mode: 'first', script: { b: ['APPROVE'] } })
    expect(performed).toEqual(['a#1', 'b#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('takes the routes of its last step until that ends ok', async () => {
    const { performed } = await playScripted({
      workflow,
      mode: 'first',
      script: { b: ['REJECT', 'APPROVE'] },
    })
    expect(performed).toEqual(['a#1', 'b#1', 'a#2', 'b#2'])
  })

  it('stops there too when a person approves', async () => {
    const { performed, end } = await playScripted({
      ...{ workflow, mode: 'first', script: { b: ['REJECT'] }, person: ['approve'] },
    })
    expect(performed).toEqual(['a#1', 'b#1', 'a#2', 'b#2'])
    expect(end).toMatchObject({ outcome: 'ok', step: 'b' })
  })

  it('stops there too when the step is passed over', async () => {
    const passing = workflowOf([agent('a'), agent('b', { when: { deep: [true] } }), agent('c')], {
      modes: { first: { from: 'a', to: 'b' } },
    })
    expect((await playScripted({ workflow: passing, mode: 'first' })).performed).toEqual(['a#1'])
  })
})
