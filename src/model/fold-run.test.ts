import { assert, array, constantFrom, jsonValue, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventTypes } from './event.ts'
import type { EventType, JournalLine } from './event.ts'
import type { JsonObject } from './json.ts'
import { isJsonObject } from './json.ts'
import { foldFacts } from './fold-facts.ts'
import { foldedFacts, foldRun } from './fold-run.ts'
import { openRunFacts, openRunState } from './run-state.ts'

let second = 0
function line(type: EventType, data: JsonObject = {}, role = 'ENGINE'): JournalLine {
  return { ts: `2025-10-02T12:00:${String(second++ % 60).padStart(2, '0')}.000Z`, role, type, data }
}

const started = line('run.started', {
  ...{ run: '7', workflow: 'pipeline', digest: 'd', version: '0.1.0', task: 'Add search', mode: 'direct' },
})
const planStarted = line('step.started', { step: 'plan', visit: 1, kind: 'agent' }, 'ARCHITECT')

describe('what a run has come to', () => {
  it('is nothing yet without a journal', () => {
    expect(foldRun([])).toEqual(openRunState())
    expect(openRunState()).toMatchObject({ status: 'running', steps: [], currentStep: '' })
  })

  it('is a fold of its journal: task, workflow, mode (R000-38), where it works (C-84)', () => {
    const created = line('branch.created', { branch: 'task/7-search', base: 'main', worktree: '/w' })
    expect(foldRun([started, created])).toMatchObject({
      ...{ run: '7', workflow: 'pipeline', task: 'Add search', mode: 'direct', status: 'running' },
      ...{ branch: 'task/7-search', base: 'main', worktree: '/w' },
      ...{ startedAt: started.ts, updatedAt: created.ts },
    })
  })

  it('has the time between its processes, in whatever portions the lines come, also after an undo', () => {
    const at = (minute: string, type: EventType, data: JsonObject = {}): JournalLine => ({
      ...line(type, data),
      ts: `2025-10-02T12:${minute}:00.000Z`,
    })
    const lines = [
      at('00', 'run.started'),
      at('01', 'step.started', { step: 'plan', visit: 1 }),
      at('02', 'step.finished', { step: 'plan', outcome: 'ok', key: 'plan#1/finished' }),
      at('03', 'run.waiting', { step: 'person' }),
      at('23', 'run.resumed'),
      at('24', 'run.stopped'),
      at('34', 'run.resumed'),
    ]
    expect(foldRun(lines)).toMatchObject({ pausedMs: 30 * 60_000, updatedAt: lines.at(-1)?.ts })
    expect(lines.reduce((facts, one) => foldFacts(facts, [one]), openRunFacts()).pausedMs).toBe(30 * 60_000)
    const undone = at('35', 'run.undone', { to: 'plan#1', step: 'plan', visit: 1 })
    expect(foldRun([...lines, undone]).pausedMs).toBe(30 * 60_000)
  })

  it('has the current step (R000-37), and of every visit its role, outcome, label, reason, times and gates', () => {
    const state = foldRun([
      started,
      planStarted,
      line('gate.checked', { step: 'plan', gate: 'plan_has_parts', met: false, facts: 'lacks a part' }),
      line('step.finished', {
        step: 'plan',
        outcome: 'revise',
        label: 'plan_has_parts',
        reason: 'lacks a part',
      }),
      line('step.started', { step: 'plan', visit: 2 }, 'ARCHITECT'),
    ])
    expect(state.currentStep).toBe('plan')
    expect(state.steps).toMatchObject([
      {
        ...{ step: 'plan', visit: 1, role: 'ARCHITECT', outcome: 'revise', label: 'plan_has_parts' },
        ...{ startedAt: planStarted.ts, reason: 'lacks a part' },
        gates: [{ gate: 'plan_has_parts', met: false, facts: 'lacks a part' }],
      },
      { step: 'plan', visit: 2, outcome: '', gates: [] },
    ])
    expect(state.steps[0]?.finishedAt).not.toBe('')
  })

  it('tells for which item of a list a step was done, lists inside of lists too', () => {
    const step = (name: string): JournalLine => line('step.started', { step: name, visit: 1 })
    const item = (type: EventType, id: string, key: string): JournalLine => line(type, { item: id, key })
    const state = foldRun([
      step('execute'),
      item('item.started', 'S1', 'execute#1/S1/started'),
      step('code'),
      item('item.started', 'S1', 'execute#1/S1/code#1/subplan/1/sub#1/S1/started'),
      step('code'),
      // Blocked: it never began.
      item('item.finished', 'S2', 'execute#1/S1/code#1/subplan/1/sub#1/S2/finished'),
      item('item.finished', 'S1', 'execute#1/S1/code#1/subplan/1/sub#1/S1/finished'),
      step('done'),
      item('item.finished', 'S1', 'execute#1/S1/finished'),
      step('goal'),
    ])
    expect(state.steps.map(({ step: name, item: id }) => `${id ?? '-'} ${name}`)).toEqual([
      ...['- execute', 'S1 code', 'S1 code', 'S1 done', '- goal'],
    ])
  })

  it('has the newest artifacts of each step, as paths (R000-39)', () => {
    const finished = (writes: string[]) => line('step.finished', { step: 'plan', outcome: 'ok', writes })
    const lines = [planStarted, finished(['a.md']), planStarted, finished(['b.md', 'c.md'])]
    expect(foldRun(lines).artifacts).toEqual({ plan: ['b.md', 'c.md'] })
    const without = line('step.finished', { step: 'plan', outcome: 'failed' })
    expect(foldRun([...lines, without]).artifacts).toEqual({ plan: ['b.md', 'c.md'] })
  })

  it('has an artifact at the place where it is now, after it was archived', () => {
    const finished = line('step.finished', { step: 'plan', outcome: 'ok', writes: ['plans/a.md', 'b.md'] })
    const archived = line('commit.made', {
      ...{ step: 'archive', commit: 'c1', by: 'engine' },
      ...{ from: ['plans/a.md', 'plans/z.md'], moved: ['archived/a-2.md', 'archived/z.md'] },
    })
    const commit = line('commit.made', { step: 'code', commit: 'c2', by: 'agent' })
    expect(foldRun([planStarted, finished, archived, commit]).artifacts).toEqual({
      plan: ['archived/a-2.md', 'b.md'],
    })
  })

  it('keeps the steps in order when one around them ends after them, and opens it again with an undo', () => {
    const step = (id: string) => line('step.started', { step: id, visit: 1 })
    const end = (id: string, key: string) =>
      line('step.finished', { step: id, outcome: 'ok', key: `${key}/finished` })
    const lines = [
      ...[started, step('work'), step('look'), end('look', 'work#1/1/look#1')],
      ...[step('look'), end('look', 'work#1/2/look#1'), end('work', 'work#1')],
    ]
    const outcomes = (all: JournalLine[]) =>
      foldRun(all).steps.map(({ step: id, outcome }) => `${id} ${outcome}`)
    expect(outcomes(lines)).toEqual(['work ok', 'look ok', 'look ok'])
    const undone = line('run.undone', { to: 'work#1/1/look#1' })
    expect(outcomes([...lines, undone])).toEqual(['work ', 'look ok'])
  })

  it('is the same for the process that drives it, which keeps nothing of steps that have ended', () => {
    const steps = Array.from({ length: 100 }, (_, index) => [
      line('item.started', { item: `T${index}`, key: `work#1/T${index}/started` }),
      line('step.started', { step: 'code', visit: index + 1 }, 'CODER'),
      line('gate.checked', { step: 'code', gate: 'tests_pass', met: true, facts: 'passed' }),
      line('step.finished', { step: 'code', outcome: 'ok', writes: ['notes/report.md'] }),
      line('item.finished', { item: `T${index}`, key: `work#1/T${index}/finished` }),
    ])
    const lines = [started, line('step.started', { step: 'work', visit: 1 }), ...steps.flat()]
    const { steps: all, ...facts } = foldRun(lines)
    expect(all).toHaveLength(101)
    expect(lines.reduce((before, one) => foldFacts(before, [one]), openRunFacts())).toEqual(facts)
    expect([foldFacts(openRunFacts(), lines), foldedFacts(lines)]).toEqual([facts, facts])
  })

  it('gathers the backlog (R001-127)', () => {
    const added = (items: string[]) => line('backlog.added', { items })
    expect(foldRun([added(['a']), added(['b', 'c'])]).backlog).toEqual(['a', 'b', 'c'])
  })

  it('waits with its question until somebody answers or it is resumed', () => {
    const lines = [started, line('run.waiting', { step: 'plan', question: 'Go on?', verbs: ['approve'] })]
    expect(foldRun(lines)).toMatchObject({
      status: 'waiting',
      question: 'Go on?',
      verbs: ['approve'],
      currentStep: 'plan',
    })
    for (const type of ['run.resumed', 'person.answered'] as const) {
      expect(foldRun([...lines, line(type)])).toMatchObject({ status: 'running', question: '', verbs: [] })
    }
  })

  it('stopped with the message that was printed, until it is resumed', () => {
    const lines = [started, line('run.stopped', { code: 'x.y', message: 'No git.', next: 'Install it.' })]
    expect(foldRun(lines)).toMatchObject({ status: 'stopped', reason: 'No git.' })
    expect(foldRun([...lines, line('run.resumed')])).toMatchObject({ status: 'running', reason: '' })
  })

  it.each([
    ['ok', 'delivered'],
    ['time', 'out_of_time'],
    ['spending', 'out_of_budget'],
    ['cancelled', 'cancelled'],
    ['failed', 'failed'],
    ['revise', 'failed'],
    ['blocked', 'failed'],
  ])('that ended %s is %s', (outcome, status) => {
    const state = foldRun([started, line('run.finished', { outcome, exit_code: 4, reason: 'why' })])
    expect(state).toMatchObject({ status, reason: 'why', exitCode: 4 })
  })

  it('takes any facts in any order without falling over', () => {
    const lines = array(
      record({
        ...{ ts: constantFrom('a', 'b'), role: constantFrom('X'), type: constantFrom(...eventTypes) },
        data: jsonValue().map((value): JsonObject => (isJsonObject(value) ? value : { step: 'plan', x: 1 })),
      }),
    )
    assert(
      property(lines, (some) => {
        expect(foldRun(some).updatedAt).toBe(some.at(-1)?.ts ?? '')
      }),
    )
  })
})
