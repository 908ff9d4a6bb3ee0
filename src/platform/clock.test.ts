import { expect, test } from 'vitest'
import { fixedClock, systemClock } from './clock.ts'

test('the system clock tells the time and sleeps at least as long as asked', async () => {
  const before = systemClock.now().getTime()
  await systemClock.sleep(20)
  expect(systemClock.now().getTime() - before).toBeGreaterThanOrEqual(19)
})

test('a sleep longer than any timer is still a sleep, and ends when it is aborted', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 30)
  await expect(systemClock.sleep(2 ** 40, stop.signal)).rejects.toThrow('aborted')
})

test('a fixed clock moves on by its step with every look and by every sleep', async () => {
  const clock = fixedClock(new Date('2026-01-01T00:00:00Z'), 1000)
  const first = clock.now()
  await clock.sleep(60_000)
  expect([first, clock.now()].map((date) => date.toISOString())).toEqual([
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:01:01.000Z',
  ])
})

test('a fixed clock does not sleep for somebody who has given up', async () => {
  await expect(fixedClock(new Date(0)).sleep(1, AbortSignal.abort())).rejects.toThrow('aborted')
})
