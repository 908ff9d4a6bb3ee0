import { describe, expect, it } from 'vitest'
import { dataOf, playScripted, saidIn } from '../../test/support/scripted-run.ts'
import { agent, each, to, workflowOf } from '../../test/support/workflow-values.ts'
import type { Clock } from '../platform/clock.ts'
import { fixedClock } from '../platform/clock.ts'
import { deadlineOf, evenDeadline, shareDeadline } from './budget.ts'

describe('when a step has to be done', () => {
  it('after its own duration, where nothing surrounds it', () => {
    expect(deadlineOf({ now: 1000 }, '2s')).toBe(3000)
    expect(deadlineOf({ now: 1000 }, undefined)).toBeUndefined()
  })

  it('never later than what surrounds it', () => {
    expect(deadlineOf({ now: 1000, deadline: 2000 }, '5s')).toBe(2000)
    expect(deadlineOf({ now: 1000, deadline: 9000 }, '5s')).toBe(6000)
    expect(deadlineOf({ now: 1000, deadline: 9000 }, undefined)).toBe(9000)
  })

  it('a share is one of the time that is left', () => {
    expect(deadlineOf({ now: 1000, deadline: 11_000 }, 0.3)).toBe(4000)
    expect(shareDeadline({ now: 1000, deadline: 11_000 }, 1)).toBe(11_000)
  })

  it('a share of no limit is no limit, and of a time that has passed nothing', () => {
    expect(deadlineOf({ now: 1000 }, 0.3)).toBeUndefined()
    expect(deadlineOf({ now: 1000, deadline: 500 }, 0.5)).toBe(500)
  })

  it('even is the time that is left by the number of items that are left (R004-114)', () => {
    expect(evenDeadline({ now: 0, deadline: 9000 }, 3)).toBe(3000)
    expect(evenDeadline({ now: 8000, deadline: 9000 }, 1)).toBe(9000)
    expect(evenDeadline({ now: 0, deadline: 9000 }, 0)).toBe(9000)
    expect(evenDeadline({ now: 0 }, 3)).toBeUndefined()
  })
})

/** A clock that stands where the script has put it. */
function setClock(at = 0): Clock & { set: (ms: number) => void } {
  let now = at
  return {
    now: () => new Date(now),
    sleep: async () => undefined,
    set: (ms) => {
      now = ms
    },
  }
}

describe('the run’s limit', () => {
  it('is handed to every step as its deadline (R004-104)', async () => {
    const { requests } = await playScripted({
      workflow: workflowOf(
        [agent('a'), agent('b', { budget: { time: '1m' } }), agent('c', { budget: { time: 0.5 } })],
        {
          budget: { time: '10m' },
        },
      ),
    })
    expect(requests.map(({ deadline }) => deadline)).toEqual([600_000, 60_000, 300_000])
  })

  it('may be an input, or given for this run, which then counts (C-88)', async () => {
    const workflow = workflowOf([agent('a')], { budget: { time: '{time_limit}' } })
    const values = { time_limit: '2h' }
    const own = await playScripted({ workflow, values })
    const given = await playScripted({ workflow, values, timeLimitMs: 1000 })
    expect(own.requests[0]?.deadline).toBe(7_200_000)
    expect(given.requests[0]?.deadline).toBe(1000)
  })

  it('without one a step has no deadline', async () => {
    const { requests } = await playScripted({ workflow: [agent('a')] })
    expect(requests[0]).not.toHaveProperty('deadline')
  })

  it('ends the run before the next step, with outcome time and exit code 4 (R004-103)', async () => {
    const clock = setClock()
    const { performed, end } = await playScripted({
      ...{ workflow: [agent('a'), agent('b')], timeLimitMs: 1000, clock },
      script: {
        a: [
          () => {
            clock.set(1000)
            return 'ok'
          },
        ],
      },
    })
    expect(performed).toEqual(['a#1'])
    expect(end).toMatchObject({
      outcome: 'time',
      exitCode: 4,
      step: 'a',
      reason: expect.stringContaining('time limit') as string,
    })
  })

  it('ends the run also out of an item, past all routes and attempts: the limit always wins (C-88)', async () => {
    const clock = setClock()
    const work = each('work', {
      ...{ list: '{tasks}', steps: [agent('code', { on: { else: to('ask') } })], attempts: 5 },
      on: { else: to('continue') },
    })
    const { performed, end } = await playScripted({
      ...{ workflow: [work, agent('after')], timeLimitMs: 1000, clock, values: { tasks: [1, 2, 3] } },
      script: {
        code: [
          () => {
            clock.set(5000)
            return { outcome: 'failed', label: 'time' }
          },
        ],
      },
    })
    expect(performed).toEqual(['code#1'])
    expect(end).toMatchObject({ outcome: 'time', exitCode: 4 })
  })

  it('leaves no end in the journal: with more time the run goes on from there (R004-106, R004-109)', async () => {
    const clock = setClock()
    const workflow = [agent('a'), agent('b')]
    const script = {
      a: [
        () => {
          clock.set(1000)
          return 'ok'
        },
      ],
    }
    const short = await playScripted({ workflow, script, clock, timeLimitMs: 1000 })
    expect(dataOf(short.lines, 'run.finished')).toEqual([])
    const longer = await playScripted({ workflow, script, clock, timeLimitMs: 5000, run: short.run })
    expect(longer.performed).toEqual(['b#1'])
    expect(longer.end).toMatchObject({ outcome: 'ok', exitCode: 0 })
  })

  it('counts from the first start, not from a resume', async () => {
    const workflow = [agent('a', { on: { failed: to('ask') } }), agent('b')]
    const scripted = { workflow, script: { a: ['failed', 'ok'] }, timeLimitMs: 1000 }
    const first = await playScripted({ ...scripted, clock: setClock(0) })
    expect(first.waiting).toBeDefined()
    const late = await playScripted({
      ...scripted,
      clock: setClock(1000),
      run: first.run,
      person: ['approve'],
    })
    expect(late.performed).toEqual([])
    expect(late.end).toMatchObject({ outcome: 'time', exitCode: 4 })
  })

  it('is not said as a failure of a step', async () => {
    const clock = setClock()
    const workflow = workflowOf([agent('a'), agent('b')], { says: { failed: 'Stopped.', ok: 'Done.' } })
    const { lines } = await playScripted({
      ...{ workflow, clock, timeLimitMs: 1 },
      script: {
        a: [
          () => {
            clock.set(10)
            return 'ok'
          },
        ],
      },
    })
    expect(saidIn(lines)).toEqual([])
  })
})

describe('a step’s own time', () => {
  it('ends the step failed with label time, and its routes are taken', async () => {
    const clock = setClock()
    const { performed, end } = await playScripted({
      workflow: workflowOf(
        [agent('a', { budget: { time: '1s' }, on: { time: to('c') } }), agent('b'), agent('c')],
        {
          budget: { time: '1h' },
        },
      ),
      script: {
        a: [
          () => {
            clock.set(2000)
            return { outcome: 'failed', label: 'time' }
          },
        ],
      },
      clock,
    })
    expect(performed).toEqual(['a#1', 'c#1'])
    expect(end).toMatchObject({ outcome: 'ok' })
  })

  it('begins with the visit, so that another round has the whole of it', async () => {
    const clock = setClock()
    const { requests } = await playScripted({
      workflow: [agent('a', { budget: { time: '1s' }, on: { revise: to('a', { limit: 1, then: 'fail' }) } })],
      script: {
        a: [
          () => {
            clock.set(5000)
            return 'revise'
          },
          'ok',
        ],
      },
      clock,
    })
    expect(requests.map(({ deadline }) => deadline)).toEqual([1000, 6000])
  })

  it('of a list bounds its items together', async () => {
    const work = each('work', { list: '{tasks}', steps: [agent('code')], budget: { time: '10s' } })
    const { requests } = await playScripted({ workflow: [work], values: { tasks: [1, 2] } })
    expect(requests.map(({ deadline }) => deadline)).toEqual([10_000, 10_000])
  })

  it('even gives every item its part of what is left (R004-114)', async () => {
    const clock = setClock()
    const work = each('work', { list: '{tasks}', steps: [agent('code')], budget: { time: 'even' } })
    const spend = (ms: number) => () => {
      clock.set(ms)
      return 'ok'
    }
    const { requests } = await playScripted({
      ...{
        workflow: [work],
        values: { tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
        timeLimitMs: 9000,
        clock,
      },
      script: { 'a/code': [spend(1000)], 'b/code': [spend(6000)] },
    })
    // 9 s for three; 8 s left for two; 3 s left for one.
    expect(requests.map(({ deadline }) => deadline)).toEqual([3000, 5000, 9000])
  })

  it('is the same in a replay, whatever the clock says then', async () => {
    const workflow = [agent('a', { budget: { time: '1m' } }), agent('b', { on: { failed: to('ask') } })]
    const first = await playScripted({ workflow, script: { b: ['failed'] }, clock: fixedClock(new Date(0)) })
    const again = await playScripted({
      ...{ workflow, script: { b: ['failed', 'ok'] }, run: first.run, person: ['approve'] },
      clock: fixedClock(new Date(9_000_000)),
    })
    expect(again.end).toMatchObject({ outcome: 'ok' })
  })
})
