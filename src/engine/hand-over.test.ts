import { describe, expect, it } from 'vitest'
import { playScripted } from '../../test/support/scripted-run.ts'
import { action, agent, check, question, reviewer, to } from '../../test/support/workflow-values.ts'
import type { ReadItem, StepResult } from '../model/step-result.ts'
import { feedbackOf, readsOf, speakerOf } from './hand-over.ts'
import { openLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'

const empty: StepResult = { outcome: 'ok', writes: [], gates: [], facts: {} }

function ledgerOf(...entries: [step: string, result: Partial<StepResult>][]): Ledger {
  const ledger = openLedger()
  for (const [step, result] of entries) {
    const visit = ledger.entries.filter((entry) => entry.step === step).length + 1
    ledger.entries.push({ step, visit, result: { ...empty, ...result } })
  }
  return ledger
}

describe('reads', () => {
  it('a step means what it wrote, by path (R001-07, R000-29)', () => {
    const step = agent('code', { reads: ['plan'] })
    const ledger = ledgerOf(['plan', { writes: ['docs/plan.md'], answer: { a: 1 } }])
    expect(readsOf(step, ledger)).toEqual([
      { type: 'artifact', name: 'plan', paths: ['docs/plan.md'], earlier: false },
    ])
  })

  it('else its answer, else its output', () => {
    const step = agent('code', { reads: ['plan', 'test'] })
    const ledger = ledgerOf(['plan', { answer: { a: 1 } }], ['test', { facts: { exit_code: 1 } }])
    expect(readsOf(step, ledger)).toEqual([
      { type: 'answer', name: 'plan', value: { a: 1 } },
      { type: 'answer', name: 'test', value: { exit_code: 1 } },
    ])
  })

  it('what does not exist is left out (R000-10, R001-37)', () => {
    const step = agent('plan', { reads: ['investigate', 'research'] })
    expect(readsOf(step, ledgerOf(['research', { writes: ['r.md'] }]))).toEqual([
      { type: 'artifact', name: 'research', paths: ['r.md'], earlier: false },
    ])
  })

  it('the newest counts', () => {
    const step = agent('code', { reads: ['plan'] })
    const ledger = ledgerOf(['plan', { writes: ['v1.md'] }], ['plan', { writes: ['v2.md'] }])
    expect(readsOf(step, ledger)).toMatchObject([{ paths: ['v2.md'] }])
  })

  it('diff and conflicts are built in (R001-117, R001-120)', () => {
    expect(readsOf(agent('review', { reads: ['diff', 'conflicts'] }), openLedger())).toEqual([
      { type: 'diff' },
      { type: 'conflicts' },
    ])
  })

  it('keeps the order in which they are written', () => {
    const step = agent('x', { reads: ['b', 'diff', 'a'] })
    const reads = readsOf(step, ledgerOf(['a', { writes: ['a'] }], ['b', { writes: ['b'] }]))
    expect(reads.map((item) => ('name' in item ? item.name : item.type))).toEqual(['b', 'diff', 'a'])
  })
})

describe('earlier findings', () => {
  const earlierOf = (reads: readonly ReadItem[]): unknown[] =>
    reads.flatMap((item) => (item.type === 'artifact' && item.earlier ? [item.paths] : []))

  it('of a reviewing step are always among what its next round reads (R001-117, R001-123)', () => {
    const step = reviewer('review', { reads: ['plan'] })
    const ledger = ledgerOf(
      ['plan', { writes: ['plan.md'] }],
      ['review', { writes: ['review_v1.md'] }],
      ['review', { writes: ['review_v2.md'] }],
    )
    expect(earlierOf(readsOf(step, ledger))).toEqual([['review_v1.md'], ['review_v2.md']])
  })

  it('are its answers, where it writes no file', () => {
    const step = reviewer('review')
    const ledger = ledgerOf(['review', { answer: { verdict: 'REJECT', feedback: 'no tests' } }])
    expect(readsOf(step, ledger)).toEqual([
      { type: 'answer', name: 'review', value: { verdict: 'REJECT', feedback: 'no tests' } },
    ])
  })

  it('are given once, also where a person approved the round', async () => {
    const on = { REJECT: to('ask'), APPROVE: to('code') }
    const { requests } = await playScripted({
      workflow: [
        reviewer('review', { on }),
        agent('code', { on: { revise: to('review', { limit: 1, then: 'fail' }) } }),
      ],
      script: {
        review: [{ outcome: 'revise', label: 'REJECT', writes: ['v1.md'] }, 'APPROVE'],
        code: ['revise', 'ok'],
      },
      person: ['approve'],
    })
    expect(earlierOf(requests[2]?.reads ?? [])).toEqual([['v1.md']])
  })

  it('are not those of a role that writes code: its words about the last round would bind it', () => {
    const role = { verdicts: { status: { success: 'ok', failed: 'failed' } }, commits: 'agent' } as const
    const step = agent('code', { role, reads: ['plan'] })
    expect(readsOf(step, ledgerOf(['code', { writes: ['verification.md'] }]))).toEqual([])
  })

  it('are those of any step that reads itself', () => {
    const step = agent('code', { reads: ['code'], role: { commits: 'agent' } })
    expect(readsOf(step, ledgerOf(['code', { writes: ['v.md'] }]))).toEqual([
      { type: 'artifact', name: 'code', paths: ['v.md'], earlier: true },
    ])
  })
})

describe('feedback', () => {
  const result: StepResult = {
    ...empty,
    outcome: 'revise',
    answer: { feedback: 'no tests', reason: 'too short', fix_plan: { steps: ['a'] } },
    writes: ['review_v1.md'],
  }

  it('is the field `feedback` of the answer, always with what the step wrote (R000-64)', () => {
    expect(feedbackOf(reviewer('review'), result, undefined)).toEqual({
      ...{ from: 'review', text: 'no tests', paths: ['review_v1.md'] },
    })
  })

  it('is the field that the role names, or the route, which counts first', () => {
    const step = reviewer('review', { role: { feedback: 'reason' } })
    expect(feedbackOf(step, result, undefined).text).toBe('too short')
    expect(feedbackOf(step, result, 'fix_plan').text).toBe('{"steps":["a"]}')
  })

  it('a field that the answer does not have leaves the file to speak', () => {
    expect(feedbackOf(reviewer('review'), result, 'artifact')).toEqual({
      ...{ from: 'review', text: '', paths: ['review_v1.md'] },
    })
  })

  it('of an unmet gate is its facts, beside what the agent said', () => {
    const gates = [
      { gate: 'commit_is_new', met: true, facts: '1 new' },
      { gate: 'tests_pass', met: false, facts: 'exit code 1' },
      { gate: 'score', met: false, facts: 'score 60, at least 70 is needed' },
    ]
    const unmet = { ...result, gates }
    const facts = 'tests_pass: exit code 1\nscore: score 60, at least 70 is needed'
    expect(feedbackOf(agent('code'), unmet, 'gates').text).toBe(facts)
    expect(feedbackOf(agent('code'), unmet, undefined).text).toBe(`no tests\n${facts}`)
  })

  it('where nothing else was said is the reason', () => {
    const failed = { ...empty, outcome: 'failed', reason: 'no answer in time' } as const
    expect(feedbackOf(agent('code'), failed, undefined).text).toBe('no answer in time')
    expect(feedbackOf(check('test'), { ...failed, reason: 'exit code 1' }, undefined).text).toBe(
      'exit code 1',
    )
  })

  it('goes to the next step only, and not with ok', async () => {
    const on = { revise: to('a', { limit: 1, then: 'fail' }) }
    const { requests } = await playScripted({
      workflow: [agent('a'), agent('b'), agent('c', { on })],
      script: { c: [{ outcome: 'revise', answer: { feedback: 'no' } }, 'ok'] },
    })
    expect(requests.map(({ feedback }) => feedback.length)).toEqual([0, 0, 0, 1, 0, 0])
  })
})

describe('what a step is told about itself', () => {
  it('its names: step, role, n, iteration (C-34), feedback', async () => {
    const { requests } = await playScripted({
      workflow: [reviewer('review', { on: { REJECT: to('review', { limit: 1, then: 'fail' }) } })],
      script: { review: [{ outcome: 'revise', label: 'REJECT', answer: { feedback: 'no' } }, 'APPROVE'] },
    })
    expect(requests.map(({ values }) => values)).toMatchObject([
      { step: 'review', role: 'REVIEW', n: 1, iteration: 0, feedback: '' },
      { step: 'review', role: 'REVIEW', n: 2, iteration: 1, feedback: 'no' },
    ])
  })

  it('what steps before it came to, by their ids', async () => {
    const { requests } = await playScripted({
      workflow: [agent('plan'), check('test'), agent('code')],
      script: {
        plan: [{ answer: { steps: ['a', 'b'] }, writes: ['plan.md'], commit: 'c'.repeat(40) }],
        test: [{ label: 'pass', facts: { exit_code: 0 } }],
      },
    })
    expect(requests[2]?.values).toMatchObject({
      plan: { steps: ['a', 'b'], outcome: 'ok', label: 'ok', writes: 'plan.md', commit: 'ccccccc' },
      test: { exit_code: 0, label: 'pass' },
    })
  })

  it('the run’s place and the workflow’s paths, which may use one another', async () => {
    const { requests } = await playScripted({
      workflow: {
        ...{ name: 'w', description: '', inputs: {}, modes: {}, budget: {}, says: {}, emits: {}, roles: {} },
        ...{ policy: { branch: '', worktree: '' }, checks: {}, fragments: {}, steps: [agent('a')] },
        paths: { docs: 'docs/{slug}', backlog: '{docs}/backlog.md' },
      },
      values: { slug: 'dark-mode' },
    })
    expect(requests[0]?.values).toMatchObject({
      ...{
        branch: 'task/1-demo',
        base: 'main',
        docs: 'docs/dark-mode',
        backlog: 'docs/dark-mode/backlog.md',
      },
    })
  })

  it('a role that may merge is told the other side of the merge that ended in conflict', async () => {
    const role = { capabilities: ['read', 'merge'] } as const
    const { requests } = await playScripted({
      workflow: [
        action('integrate', { on: { conflict: to('resolve') } }),
        agent('resolve', { role }),
        agent('next'),
      ],
      script: { integrate: [{ outcome: 'revise', label: 'conflict', facts: { merge_head: 'abc' } }] },
    })
    expect(requests.map(({ mergeHead }) => mergeHead)).toEqual([undefined, 'abc', undefined])
  })
})

describe('who speaks', () => {
  it('is the title of the role, else the orchestrator', () => {
    expect(speakerOf(agent('plan', { role: { title: 'ARCHITECT' } }))).toBe('ARCHITECT')
    expect([action('a'), check('b'), question('c')].map(speakerOf)).toEqual(
      Array.from({ length: 3 }, () => 'ORCHESTRATOR'),
    )
  })
})
