import { describe, expect, it } from 'vitest'
import { dataOf, playScripted } from '../../test/support/scripted-run.ts'
import { agent, to, workflowOf } from '../../test/support/workflow-values.ts'

describe('a run', () => {
  it('makes its place before the first step, which is no step itself (C-01, R001-68)', async () => {
    const { lines, end } = await playScripted({ workflow: [agent('a')] })
    expect(lines[0]).toMatchObject({ type: 'checkpoint', data: { key: 'begin' } })
    expect(dataOf(lines, 'step.started').map(({ step }) => step)).toEqual(['a'])
    expect(end?.place).toMatchObject({ branch: 'task/1-demo', base: 'main' })
  })

  it('records how each step began and ended', async () => {
    const { lines } = await playScripted({
      workflow: [agent('a', { on: { revise: to('b') } }), agent('b')],
      script: {
        a: [{ outcome: 'revise', label: 'score', reason: 'score 60', writes: ['a.md'], commit: 'abc' }],
      },
    })
    expect(dataOf(lines, 'step.started')).toEqual([
      { step: 'a', visit: 1, kind: 'agent' },
      { step: 'b', visit: 1, kind: 'agent' },
    ])
    expect(dataOf(lines, 'step.finished')[0]).toEqual({
      ...{ step: 'a', visit: 1, kind: 'agent', outcome: 'revise', label: 'score', reason: 'score 60' },
      ...{ commit: 'abc', writes: ['a.md'] },
    })
  })

  it('records its end once, with the exit code', async () => {
    const scripted = { workflow: [agent('a')] }
    const { run } = await playScripted(scripted)
    const { lines, performed, end } = await playScripted({ ...scripted, run })
    expect(dataOf(lines, 'run.finished')).toEqual([{ outcome: 'ok', exit_code: 0, step: 'a', reason: '' }])
    expect(performed).toEqual([])
    expect(end).toMatchObject({ outcome: 'ok', exitCode: 0 })
  })

  it.each(['revise', 'escalate', 'blocked', 'failed'] as const)(
    'that ends %s has exit code 1',
    async (outcome) => {
      const { end } = await playScripted({ workflow: [agent('a')], script: { a: [outcome] } })
      expect(end).toMatchObject({ outcome, exitCode: 1, reason: outcome })
    },
  )

  it('says why it ended: the reason, else the gates, else the label', async () => {
    const reasonOf = async (result: object): Promise<string | undefined> =>
      (await playScripted({ workflow: [agent('a')], script: { a: [{ outcome: 'revise', ...result }] } })).end
        ?.reason
    const gates = [{ gate: 'tests_pass', met: false, facts: 'exit code 1' }]
    expect(await reasonOf({ reason: 'why', gates, label: 'l' })).toBe('why')
    expect(await reasonOf({ gates, label: 'l' })).toBe('tests_pass: exit code 1')
    expect(await reasonOf({ label: 'l' })).toBe('l')
  })

  it('hands the inputs to every step, and the mode begins where it says (R000-50)', async () => {
    const workflow = workflowOf([agent('a'), agent('b')], { modes: { late: { from: 'b' } } })
    const { performed, requests } = await playScripted({ workflow, mode: 'late', values: { deep: true } })
    expect(performed).toEqual(['b#1'])
    expect(requests[0]?.values).toMatchObject({ task: 'demo', deep: true })
  })

  it('takes every step from the journal that was recorded, and goes on with the first that is missing', async () => {
    const workflow = [agent('a'), agent('b', { on: { failed: to('ask') } }), agent('c')]
    const first = await playScripted({ workflow, script: { b: ['failed', 'ok'] } })
    expect(first.performed).toEqual(['a#1', 'b#1'])
    const second = await playScripted({
      workflow,
      script: { b: ['failed', 'ok'] },
      run: first.run,
      person: ['approve'],
    })
    expect(second.performed).toEqual(['b#2', 'c#1'])
    expect(second.end).toMatchObject({ outcome: 'ok' })
  })

  it('a fault in the engine or in a step is thrown on, not made an outcome', async () => {
    const broken = playScripted({
      workflow: [agent('a')],
      script: {
        a: [
          () => {
            throw new TypeError('a bug')
          },
        ],
      },
    })
    await expect(broken).rejects.toThrow('a bug')
  })
})
