import { describe, expect, it } from 'vitest'
import { findingsIn, findingsOf, isOpen } from './finding.ts'

describe('findings in an answer', () => {
  it('are those of the field `findings`, with what they say', () => {
    const answer = {
      findings: [{ id: 'F1', about: 'No quotes.', place: 'src/a.ts:3', severity: 'Major', status: 'open' }],
    }
    expect(findingsOf(answer)).toEqual([
      { id: 'F1', about: 'No quotes.', place: 'src/a.ts:3', severity: 'major', status: 'open' },
    ])
  })

  it('of another shape are left out', () => {
    expect(findingsOf({ findings: ['F1', 3, {}, null] })).toEqual([])
    expect(findingsOf({ findings: 'F1' })).toEqual([])
    expect(findingsOf(undefined)).toEqual([])
  })

  it('are open unless they are minor or marked as dealt with', () => {
    const finding = { id: 'F1', about: 'x', place: '', severity: '', status: '' }
    expect(isOpen(finding)).toBe(true)
    expect(isOpen({ ...finding, status: 'not resolved' })).toBe(true)
    expect(isOpen({ ...finding, severity: 'minor' })).toBe(false)
    for (const status of ['resolved', 'withdrawn', 'fixed', 'disputed'])
      expect(isOpen({ ...finding, status })).toBe(false)
  })
})

describe('findings in a text', () => {
  const inShort = (text: string) =>
    findingsIn(text).map(({ id, severity, place, status }) => [id, severity, place, status].join('|'))

  it('are the points numbered F1, F2, ..., as lists, headings, in bold or plain', () => {
    const text = [
      '# Review',
      'F is no finding, nor is F-12 or RF1.',
      '- F1 (major), `src/a.ts:3`: no quotes',
      '  around a field.',
      '* **F2** (blocker) lib/b.py: loses the last line',
      '### F3: minor, names',
      'text of F3',
      '## Tests run',
      'npm test: 0',
    ].join('\n')
    expect(inShort(text)).toEqual(['F1|major|src/a.ts:3|', 'F2|blocker|lib/b.py|', 'F3|minor||'])
    expect(findingsIn(text)[0]?.about).toContain('around a field.')
    expect(findingsIn(text)[2]?.about).not.toContain('npm test')
  })

  it('may stand one after another in one line', () => {
    const text =
      'F1 (major), Test Scenarios 3: 12 is wrong. Resolved when it is 11. F2 (major), src/a.ts: no such function.'
    expect(inShort(text).map((one) => one.slice(0, 8))).toEqual(['F1|major', 'F2|major'])
  })

  it('carry the mark that stands at their beginning', () => {
    expect(inShort('F1: resolved\nF2: **not resolved**, the test is missing\nF3 withdrawn')).toEqual([
      ...['F1|||resolved', 'F2|||not resolved', 'F3|||withdrawn'],
    ])
  })

  it('are looked for in time that grows with the text alone', () => {
    expect(findingsIn(`${'- > # '.repeat(100_000)}\n${'F1 ('.repeat(100_000)}`)).toHaveLength(1)
  })
})
