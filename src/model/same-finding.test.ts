import { describe, expect, it } from 'vitest'
import type { Finding } from './finding.ts'
import { likeness } from './same-finding.ts'

const finding = (about: string, place = '', id = ''): Finding => ({
  id,
  about,
  place,
  severity: '',
  status: '',
})

describe('two findings', () => {
  it.each([
    [
      'in the same words',
      finding('A negative index is not refused.'),
      finding('A negative index is not refused.'),
    ],
    [
      'in other words about the same',
      finding('A negative index is not refused.'),
      finding('negative index still not refused by it'),
    ],
    [
      'at another line of the same file',
      finding('index not refused', 'src/a.ts:3'),
      finding('index not refused', './src/a.ts:30'),
    ],
    [
      'of the same number and place, in words that differ more',
      finding('index below zero not refused', 'a.ts', 'F1'),
      finding('F1 not resolved: refused below one, zero passes', 'a.ts', 'F1'),
    ],
  ])('%s are the same', (_title, one, other) => {
    expect(likeness(one, other)).toBe('same')
    expect(likeness(other, one)).toBe('same')
  })

  it('are compared in time that grows with their length alone', () => {
    const endless = 'a'.repeat(1_000_000)
    expect(likeness(finding(endless), finding(`${endless}.`))).toBe('same')
  })

  it('in the same words about another file are the same thing elsewhere', () => {
    const one = finding('A line break in src/a.ts:3 is written without quotes', 'src/a.ts:3')
    const other = finding('A line break in lib/b.ts:9 is written without quotes', 'lib/b.ts:9')
    expect(likeness(one, other)).toBe('elsewhere')
  })

  it.each([
    [
      'about different things',
      finding('The total ignores the quantity.', 'a.ts'),
      finding('The header line is missing.', 'a.ts'),
    ],
    [
      'of the same number about different things',
      finding('total ignores quantity', 'a.ts', 'F1'),
      finding('header missing', 'a.ts', 'F1'),
    ],
    ['without words', finding(''), finding('')],
    [
      'that share only words without weight',
      finding('this is still not resolved'),
      finding('that was not resolved here'),
    ],
  ])('%s are not', (_title, one, other) => {
    expect(likeness(one, other)).toBeUndefined()
  })
})
