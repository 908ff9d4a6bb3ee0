import { expect, test } from 'vitest'
import { workTime } from './words.ts'

test('the time of a run is its work; where it stood still, both are told', () => {
  const times = { startedAt: '2025-10-02T12:00:00.000Z', updatedAt: '2025-10-02T12:00:09.000Z' }
  expect(workTime({ ...times, pausedMs: 0 })).toBe('9s')
  expect(workTime({ ...times, pausedMs: 7000 })).toBe('2s of work, 9s with its pauses')
  expect(workTime({ ...times, startedAt: '', pausedMs: 0 })).toBe('')
})
