import { assert, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    [' 5m ', 300_000],
    ['0s', 0],
  ])('%s is %d ms (C-88)', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '5', 'm', '5 m', '-5m', '5x', '1h 30m', '5m!', 'PT5M', '1e3s'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  it.each([
    [0, '0ms'],
    [999, '999ms'],
    [1000, '1s'],
    [59_400, '59s'],
    [60_000, '1m'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [5_400_000, '1h30m'],
    [90_000_000, '25h'],
  ])('%d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('is read again as it was written, up to a second, and a minute after an hour', () => {
    assert(
      property(integer({ min: 0, max: 100_000_000 }), (ms) => {
        const again = parseDuration(formatDuration(ms)) ?? Number.NaN
        expect(Math.abs(again - ms)).toBeLessThan(ms < 3_600_000 ? 1000 : 60_000)
      }),
    )
  })
})
