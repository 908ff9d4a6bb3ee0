import { describe, expect, it } from 'vitest'
import type { Checks, Comment } from './forge.ts'
import { nextForRequest } from './next-for-request.ts'
import type { Looked, Rounds } from './next-for-request.ts'

const comment = (id: string): Comment => ({ id, author: 'ada', text: 'Why?', at: '2026-01-01T00:00:00Z' })
const failed: Checks = { state: 'failed', failures: [{ name: 'unit', url: '', log: 'red' }] }

function next(looked: Partial<Looked>, rounds: Partial<Rounds> = {}) {
  return nextForRequest(
    {
      pull: { number: 3, state: 'open', commit: 'abc' },
      ...{ comments: [], checks: { state: 'passed', failures: [] }, ...looked },
    },
    { heard: new Set(), count: 0, limit: 3, ...rounds },
  )
}

describe('what a look at a pull request asks for', () => {
  it.each(['merged', 'closed'] as const)('is its end where it is %s, whatever was said', (state) => {
    const pull = { number: 3, state, commit: 'abc' }
    expect(next({ pull, comments: [comment('1')], checks: failed })).toEqual({ type: state })
  })

  it('is patience while checks run, while a run is at it, and while nothing is new', () => {
    const pending: Checks = { state: 'pending', failures: [] }
    expect(next({ comments: [comment('1')], checks: pending })).toMatchObject({ type: 'wait' })
    expect(next({ comments: [comment('1')] }, { busy: 'run 7 is waiting' })).toEqual({
      ...{ type: 'wait', why: 'run 7 is waiting' },
    })
    expect(next({})).toEqual({ type: 'wait', why: 'its checks have passed, and nothing new was said' })
  })

  it('is a round of rework that is told what no round was told before', () => {
    const looked = { comments: [comment('1'), comment('2')], checks: failed }
    expect(next(looked, { heard: new Set(['1']), count: 1 })).toEqual({
      ...{ type: 'rework', comments: [comment('2')], failures: failed.failures },
      heard: ['2', 'checks@abc'],
    })
  })

  it('tells of a failure once for each commit', () => {
    const heard = new Set(['checks@abc'])
    expect(next({ checks: failed }, { heard, count: 1 })).toMatchObject({ type: 'wait' })
    const pull = { number: 3, state: 'open', commit: 'def' } as const
    expect(next({ pull, checks: failed }, { heard, count: 1 })).toMatchObject({ type: 'rework' })
  })

  it('is a person, once there have been enough rounds', () => {
    expect(next({ comments: [comment('1')], checks: failed }, { count: 3 })).toEqual({
      type: 'spent',
      why: '1 new comment and 1 failed check, after 3 rounds of rework',
    })
  })
})
