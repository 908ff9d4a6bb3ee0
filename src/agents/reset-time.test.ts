import { describe, expect, it } from 'vitest'
import { resetTimeIn } from './reset-time.ts'

const now = Date.parse('2026-11-16T06:00:00Z')

/** The machine's own zone is used where none is named; these name one, or none is needed. */
const samples: readonly (readonly [string, string])[] = [
  ['Claude AI usage limit reached|1794898800', '2026-11-17T07:00:00.000Z'],
  ['Your quota will reset after 3h25m10s.', '2026-11-16T09:25:10.000Z'],
  ['You exceeded your current quota. Please retry in 34.5s.', '2026-11-16T06:00:34.500Z'],
  ['"retryDelay":"90s"', '2026-11-16T06:01:30.000Z'],
  ['Please try again in 1.5s', '2026-11-16T06:00:01.500Z'],
  ['try again in 3 days 4 hours 5 minutes.', '2026-11-19T10:05:00.000Z'],
  ['Try again in 2 hours and 10 minutes', '2026-11-16T08:10:00.000Z'],
  ['Rate limited, retry after 250ms', '2026-11-16T06:00:00.250Z'],
  ['resets at 2026-11-16T08:30:00Z', '2026-11-16T08:30:00.000Z'],
  ["You've hit your limit · resets 3pm (America/New_York)", '2026-11-16T20:00:00.000Z'],
  ['5-hour limit reached ∙ resets 3am (Europe/Vienna)', '2026-11-17T02:00:00.000Z'],
  ['Weekly limit reached ∙ resets Nov 20, 5:30am (UTC)', '2026-11-20T05:30:00.000Z'],
  ['try again at Nov 20th, 2026 3:14 PM (UTC).', '2026-11-20T15:14:00.000Z'],
  ['resets Mar 29, 9am (Europe/Vienna)', '2026-03-29T07:00:00.000Z'],
]

describe('the time at which a limit ends', () => {
  it.each(samples)('is read from: %s', (text, expected) => {
    expect(new Date(resetTimeIn(text, now) ?? 0).toISOString()).toBe(expected)
  })

  it.each([
    'You’ve hit your usage limit.',
    'Please wait and try again later.',
    'resets 3pm tomorrow or so'.replace('3pm', 'soon'),
    'model gpt-5.5 is rate limited (429)',
  ])('is unknown where none is said: %s', (text) => {
    expect(resetTimeIn(text, now)).toBeUndefined()
  })

  it('is today where the clock will still show it, in the zone of the machine', () => {
    const at = resetTimeIn('try again at 11:59 PM', now)
    const shown = new Date(at ?? 0)
    expect([shown.getHours(), shown.getMinutes()]).toEqual([23, 59])
    expect(at).toBeGreaterThan(now)
    expect((at ?? 0) - now).toBeLessThanOrEqual(25 * 3_600_000)
  })
})
