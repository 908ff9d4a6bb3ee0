import { describe, expect, it } from 'vitest'
import { firstDifference } from './first-difference.ts'

describe('the first difference of two values', () => {
  it('is none where only the order of keys is another', () => {
    expect(firstDifference({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBeUndefined()
  })

  it('is named by its way from the top', () => {
    const recorded = { type: 'answered', answer: { verdict: 'PASS', notes: ['one', 'two'] } }
    const replayed = { type: 'answered', answer: { verdict: 'PASS', notes: ['one', 'three'] } }
    expect(firstDifference(recorded, replayed)).toEqual({
      path: 'answer.notes.1',
      recorded: 'two',
      replayed: 'three',
    })
  })

  it('may be that one side has nothing there, or something of another kind', () => {
    expect(firstDifference({ a: 1 }, { a: 1, b: 2 })).toEqual({ path: 'b', recorded: undefined, replayed: 2 })
    expect(firstDifference({ a: [] }, { a: {} })).toEqual({ path: 'a', recorded: [], replayed: {} })
    expect(firstDifference('x', null)).toEqual({ path: '', recorded: 'x', replayed: null })
  })
})
