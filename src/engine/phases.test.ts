import { assert, integer, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadedSupervised } from '../../test/support/goal-run.ts'
import { phaseDeadline } from './phases.ts'

const phases = (await loadedSupervised()).budget.phases ?? {}
const minute = 60_000

function minutes(name: string, total: number, at: { now: number; isFirst?: boolean }): number {
  const run = { start: 0, deadline: total * minute }
  const entry = { name, now: at.now * minute, isFirst: at.isFirst ?? true }
  return phaseDeadline(phases, run, entry) / minute - at.now
}

describe('the time of a phase', () => {
  it.each([
    ['planning', 60, 0, 6, 'R004-111'],
    ['planning', 300, 0, 15, 'R004-111'],
    ['execution', 60, 6, 48, 'R004-112'],
    ['execution', 60, 1, 53, 'R004-112, what planning left over'],
    ['execution', 300, 15, 275, 'C-49: and the reserve'],
    ['verification', 60, 54, 6, 'R004-113'],
    ['verification', 300, 200, 10, 'R004-113'],
  ])('of %s in a run of %d minutes, entered after %d, is %d minutes (%s)', (name, total, now, expected) => {
    expect(minutes(name, total, { now })).toBe(expected)
  })

  it('is its share of what is left where it is entered again', () => {
    expect(minutes('planning', 60, { now: 40, isFirst: false })).toBe(2)
    expect(minutes('execution', 60, { now: 40, isFirst: false })).toBe(18)
  })

  it('never lasts longer than the run (R004-110)', () => {
    const times = tuple(integer({ min: 1, max: 10_000 }), integer({ min: 0, max: 10_000 }))
    assert(
      property(times, ([total, now]) => {
        for (const name of [...Object.keys(phases), 'unknown'])
          for (const isFirst of [true, false])
            expect(now + minutes(name, total, { now, isFirst })).toBeLessThanOrEqual(total)
      }),
    )
  })
})
