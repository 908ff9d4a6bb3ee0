import { expect, test } from 'vitest'
import { openRunState } from '../model/run-state.ts'
import { systemClock } from '../platform/clock.ts'
import { untilNow } from './state-of.ts'

test('the time of a run that works counts until now, that of any other until its last fact', () => {
  const updatedAt = new Date(0).toISOString()
  const running = { ...openRunState(), updatedAt }
  expect(Date.parse(untilNow(running, systemClock).updatedAt)).toBeGreaterThan(0)
  expect(untilNow({ ...running, status: 'waiting' }, systemClock).updatedAt).toBe(updatedAt)
})
