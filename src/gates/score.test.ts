import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'

describe('score', () => {
  it('is at least what the gate asks for (C-89)', () => {
    expect(judge('score', { answer: { score: 70 } }, { score: 70 })).toBe('met: score 70 of at least 70')
    expect(judge('score', { answer: { score: 69 } }, { score: 70 })).toBe(
      'unmet: score 69, at least 70 is needed',
    )
  })

  it('must be given, unless the gate says if_present', () => {
    expect(judge('score', {}, { score: 70 })).toBe('unmet: the answer has no score')
    expect(judge('score', {}, { score: 70, if_present: true })).toBe('met: no score was given')
  })

  it('is a number where it is given, whatever the gate says', () => {
    for (const if_present of [true, false]) {
      expect(judge('score', { answer: { score: '90' } }, { score: 70, if_present })).toBe(
        'unmet: "90" is no score',
      )
    }
  })
})
