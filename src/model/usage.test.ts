import { array, assert, integer, option, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JournalLine } from './event.ts'
import type { JsonObject } from './json.ts'
import { overspent } from './spending.ts'
import { addUsage, emptyTally, joinTallies, spendingOf, withCost } from './usage.ts'
import type { Usage } from './usage.ts'

function tallyOf(...calls: Usage[]) {
  return calls.reduce(addUsage, emptyTally)
}

describe('a sum of what calls have used', () => {
  it('keeps apart what is known and of how many calls it is not: unknown is never zero', () => {
    expect(tallyOf({ input: 100, output: 5, cost: 0.1 }, { input: 20, cached: 8 }, {})).toEqual({
      calls: 3,
      input: { known: 120, unknown: 1 },
      cached: { known: 8, unknown: 2 },
      output: { known: 5, unknown: 2 },
      cost: { known: 0.1, unknown: 2 },
    })
  })

  it('is the same in whatever parts it is added up', () => {
    const amount = option(integer({ min: 0, max: 1e6 }), { nil: undefined })
    const call = record({ input: amount, cached: amount, output: amount, cost: amount })
    const clean = (usage: object): Usage =>
      Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined))
    assert(
      property(array(call), array(call), (left, right) => {
        const [one, other] = [left.map(clean), right.map(clean)]
        expect(joinTallies(tallyOf(...one), tallyOf(...other))).toEqual(tallyOf(...one, ...other))
      }),
    )
  })

  it('of cents has no dust of floating point', () => {
    expect(tallyOf(...Array.from({ length: 10 }, () => ({ cost: 0.1 }))).cost.known).toBe(1)
  })
})

describe('what a call costs', () => {
  const price = { input: 2, cached: 0.5, output: 10 }

  it('is what the tool says, else what the price list makes of it', () => {
    expect(withCost({ input: 1000, output: 100, cost: 7 }, price).cost).toBe(7)
    expect(withCost({ input: 1_000_000, cached: 400_000, output: 100_000 }, price).cost).toBe(2.4)
    expect(withCost({ input: 1_000_000, output: 0 }, { input: 2, output: 10 }).cost).toBe(2)
  })

  it('is not known where a figure or the price is missing', () => {
    expect(withCost({ input: 1000 }, price)).toEqual({ input: 1000 })
    expect(withCost({ input: 1000, output: 10 }, undefined)).toEqual({ input: 1000, output: 10 })
  })
})

describe('a limit', () => {
  const spent = tallyOf({ input: 900, output: 100, cost: 0.5 })

  it('holds until it is reached', () => {
    expect(overspent(spent, { cost: 0.51, tokens: 1001 })).toBeUndefined()
    expect(overspent(spent, {})).toBeUndefined()
    expect(overspent(spent, { cost: 0.5 })).toBe('the limit of $0.50 is reached: $0.50 are used')
    expect(overspent(spent, { tokens: 1000 })).toBe('the limit of 1000 tokens is reached: 1000 are used')
  })

  it('of zero lets nothing begin', () => {
    expect(overspent(emptyTally, { cost: 0 })).toContain('is reached')
  })

  it('that cannot be measured is not taken for kept', () => {
    const unknown = addUsage(spent, { input: 1 })
    expect(overspent(unknown, { cost: 9 })).toBe(
      'the limit of $9.00 cannot be kept: of one call the cost is not known',
    )
    expect(overspent(unknown, { tokens: 9999 })).toContain('of one call the tokens are not known')
  })
})

describe('what a run has spent, by its journal', () => {
  const line = (type: 'agent.started' | 'agent.finished', role: string, data: JsonObject): JournalLine => ({
    ...{ ts: '2027-01-01T00:00:00.000Z', role, type, data },
  })
  const call = { step: 'plan', at: 'plan#1', call: 1 }
  const begin = line('agent.started', 'PLANNER', { ...call, provider: 'alpha', model: 'big' })
  const end = line('agent.finished', 'PLANNER', { ...call, usage: { input: 10, output: 2, cost: 0.1 } })

  it('is a row for each step, role and model', () => {
    const other = { step: 'code', at: 'code#1', call: 1 }
    const rows = spendingOf([
      ...[begin, end, line('agent.started', 'CODER', { ...other, provider: 'beta', model: '' })],
      line('agent.finished', 'CODER', { ...other, model: 'told', usage: { input: 5 } }),
    ])
    expect(rows).toEqual([
      {
        ...{ step: 'plan', role: 'PLANNER', provider: 'alpha', model: 'big' },
        tally: tallyOf({ input: 10, output: 2, cost: 0.1 }),
      },
      { ...{ step: 'code', role: 'CODER', provider: 'beta', model: 'told' }, tally: tallyOf({ input: 5 }) },
    ])
  })

  it('counts a call that the engine did not see the end of as unknown, and the one that follows it too', () => {
    expect(spendingOf([begin]).map(({ tally }) => tally)).toEqual([tallyOf({})])
    expect(spendingOf([begin, begin, end]).map(({ tally }) => tally)).toEqual([
      tallyOf({}, { input: 10, output: 2, cost: 0.1 }),
    ])
  })

  it('counts an end once, however often it was noted', () => {
    expect(spendingOf([begin, end, end]).map(({ tally }) => tally.calls)).toEqual([1])
  })
})
