import { describe, expect, test } from 'vitest'
import { playScripted, routesIn, saidIn } from '../../test/support/scripted-run.ts'
import type { PlayedRun, ScriptedRun } from '../../test/support/scripted-run.ts'
import { action, agent, each, question, reviewer, to } from '../../test/support/workflow-values.ts'
import { engineEvent } from './event.ts'
import type { JournalLine } from './event.ts'
import { foldRun } from './fold-run.ts'
import { endedSteps, pendingUndo, standingLines, stepNamed, visitsUndone } from './undone.ts'

function undoneTo(key: string): JournalLine {
  return { ts: '2026-01-01T00:00:00.000Z', ...engineEvent('run.undone', { to: key }) }
}

/** Plays a run, undoes it, and goes on with it. */
async function playUndone(run: ScriptedRun, key: string): Promise<{ first: PlayedRun; then: PlayedRun }> {
  const first = await playScripted(run)
  first.run.lines.push(undoneTo(key))
  return { first, then: await playScripted({ ...run, run: first.run }) }
}

const loop = [
  agent('plan'),
  reviewer('review', { on: { REJECT: to('plan', { limit: 2, then: 'fail' }) } }),
  agent('code', { says: { start: 'Coding.', ok: 'Coded.' } }),
  action('deliver'),
]

describe('a run that was undone to the end of a step', () => {
  test('goes on with what follows that step, and ends once more', async () => {
    const { first, then } = await playUndone({ workflow: loop }, 'review#1')
    expect(first.end).toMatchObject({ outcome: 'ok' })
    expect(then.performed).toEqual(['code#1', 'deliver#1'])
    expect(then.end).toMatchObject({ outcome: 'ok', step: 'deliver' })
  })

  test('says again only what comes after the end of that step', async () => {
    const { then } = await playUndone({ workflow: loop }, 'code#1')
    expect(then.performed).toEqual(['deliver#1'])
    expect(saidIn(then.lines)).toEqual(['CODE: Coding.', 'CODE: Coded.'])
  })

  test('counts routes as they were counted then', async () => {
    const script = { review: ['REJECT', 'REJECT', 'REJECT'] }
    const { first, then } = await playUndone({ workflow: loop, script }, 'review#1')
    expect(first.end).toMatchObject({ outcome: 'revise', step: 'review' })
    expect(then.performed).toEqual(['plan#2', 'review#2', 'plan#3', 'review#3'])
    expect(routesIn(standingLines(then.lines))).toEqual([
      'review > plan (REJECT 1)',
      'review > plan (REJECT 2)',
    ])
  })

  test('asks a person again, and does not take an old answer', async () => {
    const workflow = [agent('a'), question('person'), action('deliver')]
    const { first, then } = await playUndone({ workflow, person: ['approve'] }, 'a#1')
    expect(first.performed).toEqual(['a#1', 'deliver#1'])
    expect(then.questions).toHaveLength(1)
    first.run.lines.push(undoneTo('a#1'))
    first.run.inbox.push({ id: 'approve', verb: 'approve', text: '' })
    const again = await playScripted({ workflow, run: first.run })
    expect(again.waiting).toMatchObject({ step: 'person' })
  })

  test('can be undone again, further back', async () => {
    const { then } = await playUndone({ workflow: loop }, 'code#1')
    then.run.lines.push(undoneTo('plan#1'))
    const again = await playScripted({ workflow: loop, run: then.run })
    expect(again.performed).toEqual(['review#1', 'code#1', 'deliver#1'])
  })

  test('goes on in the middle of the items of a list', async () => {
    const list = each('work', { list: 'plan.tasks', steps: [agent('code'), agent('test')] })
    const script = { plan: [{ answer: { tasks: [{ id: 'T1' }, { id: 'T2' }] } }] }
    const { then } = await playUndone({ workflow: [agent('plan'), list], script }, 'work#1/T1/code#1')
    expect(then.performed).toEqual(['T1/test#1', 'T2/code#1', 'T2/test#1'])
    expect(foldRun(then.lines).steps.find(({ step }) => step === 'work')?.outcome).toBe('ok')
  })
})

describe('the state of a run that was undone', () => {
  test('is what it was at the end of that step, stopped', async () => {
    const { run } = await playScripted({ workflow: loop, script: { code: [{ writes: ['code.md'] }] } })
    run.lines.push(undoneTo('review#1'))
    expect(foldRun(run.lines)).toMatchObject({
      ...{ status: 'stopped', reason: 'undone: back at the end of review#1', currentStep: 'review' },
      artifacts: {},
    })
    expect(foldRun(run.lines).exitCode).toBeUndefined()
    expect(foldRun(run.lines).steps.map(({ step }) => step)).toEqual(['plan', 'review'])
  })
})

describe('the steps that can be named', () => {
  test('are those that have ended and stand, each with the commit that the branch was at', async () => {
    const script = { plan: [{ commit: 'one' }, { commit: 'two' }], review: ['REJECT', 'APPROVE'] }
    const { run } = await playScripted({ workflow: [...loop.slice(0, 2), question('person')], script })
    const ended = endedSteps(standingLines(run.lines))
    expect(ended.map(({ key, commit, after }) => [key, commit, after])).toEqual([
      ['plan#1', 'one', 'plan#1'],
      ['review#1', 'one', 'review#1'],
      ['plan#2', 'two', 'plan#2'],
      ['review#2', 'two', 'review#2'],
    ])
    expect(stepNamed(ended, 'plan')?.key).toBe('plan#2')
    expect(stepNamed(ended, 'plan#1')?.key).toBe('plan#1')
    expect(stepNamed(ended, 'person')).toBeUndefined()
    run.lines.push(undoneTo('review#1'))
    expect(endedSteps(standingLines(run.lines)).map(({ key }) => key)).toEqual(['plan#1', 'review#1'])
    expect(visitsUndone(run.lines)).toEqual(['plan#2', 'review#2', 'person#1'])
  })
})

test('an undo is pending until something is done after it', async () => {
  const { run } = await playScripted({ workflow: loop })
  expect(pendingUndo(run.lines)).toBeUndefined()
  run.lines.push(undoneTo('plan#1'))
  expect(pendingUndo(run.lines)).toMatchObject({ to: 'plan#1' })
  run.lines.push({ ts: '', ...engineEvent('run.resumed', {}) })
  expect(pendingUndo(run.lines)).toMatchObject({ to: 'plan#1' })
  await playScripted({ workflow: loop, run })
  expect(pendingUndo(run.lines)).toBeUndefined()
})
