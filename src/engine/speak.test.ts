import { describe, expect, it } from 'vitest'
import { isJournalLine } from '../model/event.ts'
import { foldRun } from '../model/fold-run.ts'
import { dataOf, emittedIn, playScripted, saidIn } from '../../test/support/scripted-run.ts'
import { agent, call, reviewer, to, workflowOf } from '../../test/support/workflow-values.ts'

describe('says', () => {
  it('is written by moment, and a text may begin with its speaker (R001-145, R001-146, R001-147)', async () => {
    const says = {
      start: 'ORCHESTRATOR: Spawning {role}...',
      ok: "Implementation Plan created at '{writes}'.",
      commit: 'ORCHESTRATOR: Committing Plan... OK.',
    }
    const { lines } = await playScripted({
      workflow: [agent('plan', { role: { title: 'ARCHITECT' }, says })],
      script: { plan: [{ writes: ['docs/plan.md'], commit: 'c'.repeat(40), facts: { committed: true } }] },
    })
    expect(saidIn(lines)).toEqual([
      'ORCHESTRATOR: Spawning ARCHITECT...',
      "ARCHITECT: Implementation Plan created at 'docs/plan.md'.",
      'ORCHESTRATOR: Committing Plan... OK.',
    ])
  })

  it('says nothing of a commit that was not made', async () => {
    const { lines } = await playScripted({
      workflow: [agent('plan', { says: { commit: 'Committed.' } })],
      script: { plan: [{ commit: 'c'.repeat(40), facts: { committed: false } }] },
    })
    expect(saidIn(lines)).toEqual([])
  })

  it('the most exact moment counts: a label, then an outcome, then else, then end', async () => {
    const says = { REJECT: 'label', revise: 'outcome', else: 'else', end: 'end' }
    const said = async (table: Record<string, string>, end: string): Promise<string[]> =>
      saidIn((await playScripted({ workflow: [reviewer('r', { says: table })], script: { r: [end] } })).lines)
    const { REJECT: _label, ...noLabel } = says
    const { revise: _outcome, ...noOutcome } = noLabel
    expect(await said(says, 'REJECT')).toEqual(['R: label'])
    expect(await said(noLabel, 'REJECT')).toEqual(['R: outcome'])
    expect(await said(noOutcome, 'REJECT')).toEqual(['R: else'])
    expect(await said({ end: 'end' }, 'REJECT')).toEqual(['R: end'])
    expect(await said(says, 'APPROVE')).toEqual(['R: end'])
  })

  it('may use what the step came to', async () => {
    const { lines } = await playScripted({
      workflow: [
        reviewer('review', {
          says: { REJECT: 'No: {feedback}', start: 'Round {n}.' },
          on: { REJECT: to('review', { limit: 1, then: 'fail' }) },
        }),
      ],
      script: { review: [{ outcome: 'revise', label: 'REJECT', answer: { feedback: 'no tests' } }] },
    })
    expect(saidIn(lines)).toEqual([
      ...['REVIEW: Round 1.', 'REVIEW: No: no tests', 'REVIEW: Round 2.', 'REVIEW: No: no tests'],
    ])
  })

  it('an empty text says nothing, also where the defaults would', async () => {
    const { lines } = await playScripted({ workflow: [agent('a', { says: { start: '', ok: '' } })] })
    expect(saidIn(lines)).toEqual([])
  })

  it('has moments of the run at the top of the file (R001-143, R001-144, R001-154)', async () => {
    const says = {
      start: 'ORCHESTRATOR: Task Received.',
      branch: "ORCHESTRATOR: Created branch '{branch}'.",
      ok: "ORCHESTRATOR: Pipeline Success! Branch '{branch}' is ready for merge.",
      else: 'ORCHESTRATOR: Stopped at {step}: {reason}.',
    }
    const workflow = workflowOf([agent('a')], {
      says,
      emits: { start: { type: 'RUN' }, end: { type: 'END' } },
    })
    const good = await playScripted({ workflow })
    const bad = await playScripted({ workflow, script: { a: [{ outcome: 'blocked', reason: 'no access' }] } })
    expect(saidIn(good.lines)).toEqual([
      'ORCHESTRATOR: Task Received.',
      "ORCHESTRATOR: Created branch 'task/1-demo'.",
      "ORCHESTRATOR: Pipeline Success! Branch 'task/1-demo' is ready for merge.",
    ])
    expect(saidIn(bad.lines).at(-1)).toBe('ORCHESTRATOR: Stopped at a: no access.')
    expect(emittedIn(good.lines)).toEqual(['RUN', 'END'])
  })

  it('takes any word for a label, also one that means something to the engine', async () => {
    for (const word of ['start', 'commit', 'end', '>=90', 'a/b', 'said']) {
      const role = { verdicts: { verdict: { [word]: 'ok' } } } as const
      const says = { start: 'begins', end: 'ends', commit: 'commits' }
      const { end, lines } = await playScripted({
        workflow: [agent('a', { role, says })],
        script: { a: [{ label: word, commit: 'c'.repeat(40), facts: { committed: true } }] },
      })
      expect(end, word).toMatchObject({ outcome: 'ok' })
      expect(saidIn(lines), word).toHaveLength(3)
    }
  })

  it('is written once, however often the run is resumed', async () => {
    const scripted = {
      workflow: [agent('a', { says: { start: 'Begins.', failed: 'Failed.' }, on: { failed: to('ask') } })],
      script: { a: ['failed'] },
    }
    const { run } = await playScripted(scripted)
    await playScripted({ ...scripted, run })
    const { lines } = await playScripted({ ...scripted, run })
    expect(saidIn(lines)).toEqual(['A: Begins.', 'A: Failed.'])
  })
})

describe('emits', () => {
  it('a name, or a type with data that are filled in', async () => {
    const emits = {
      start: { type: 'PLAN_REQUEST' },
      ok: { type: 'plan', data: { tasks: '{answer.tasks}', title: 'Plan of {role}' } },
    }
    const { lines } = await playScripted({
      workflow: [agent('plan', { emits })],
      script: { plan: [{ answer: { tasks: ['T1'] } }] },
    })
    expect(lines.filter(({ type }) => emittedIn(lines).includes(type))).toEqual([
      {
        ...{ ts: '1970-01-01T00:00:00.000Z', role: 'PLAN', type: 'PLAN_REQUEST' },
        data: { key: 'plan#1/emitted/start' },
      },
      {
        ...{ ts: '1970-01-01T00:00:00.000Z', role: 'PLAN', type: 'plan' },
        data: { tasks: ['T1'], title: 'Plan of PLAN', key: 'plan#1/emitted/end' },
      },
    ])
  })

  it('R003-79: may have any name, that of a method of objects too, and is a line of four keys', async () => {
    const { end, lines } = await playScripted({
      workflow: [agent('a', { emits: { start: { type: 'constructor' }, ok: { type: 'toString' } } })],
    })
    expect(end).toMatchObject({ outcome: 'ok' })
    expect(emittedIn(lines)).toEqual(['constructor', 'toString'])
    expect(foldRun(lines)).toMatchObject({ status: 'delivered' })
    expect(lines.every(isJournalLine)).toBe(true)
  })

  it('of a route replaces the start of its target', async () => {
    const on = {
      revise: to('code', { limit: 2, then: 'fail', emits: { type: 'CODE_FIX_REQUEST', data: { n: '{n}' } } }),
    }
    const { lines } = await playScripted({
      workflow: [
        agent('code', { emits: { start: { type: 'CODE_REQUEST' }, end: { type: 'CODE_RESPONSE' } } }),
        agent('test', { on }),
      ],
      script: { test: ['revise', 'ok'] },
    })
    expect(emittedIn(lines)).toEqual(['CODE_REQUEST', 'CODE_RESPONSE', 'CODE_FIX_REQUEST', 'CODE_RESPONSE'])
    expect(dataOf(lines, 'CODE_FIX_REQUEST')).toEqual([{ n: 2 }])
  })

  it('of a route to a fragment comes before its first step', async () => {
    const on = {
      failed: call('fix', {
        limit: 1,
        then: 'fail',
        emits: { type: 'REPLAN', data: { by: '{code.label}' } },
      }),
    }
    const workflow = workflowOf([agent('code', { on })], {
      fragments: { fix: [agent('mend', { emits: { start: { type: 'MEND' } } })] },
    })
    const { lines } = await playScripted({ workflow, script: { code: ['failed'] } })
    expect(emittedIn(lines)).toEqual(['REPLAN', 'MEND'])
    expect(dataOf(lines, 'REPLAN')).toEqual([{ by: 'failed' }])
  })
})
