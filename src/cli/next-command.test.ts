import { expect, test } from 'vitest'
import { openRunFacts } from '../model/run-state.ts'
import { nextCommand } from './next-command.ts'

test('the limit that is proposed is an hour more than the run has worked, however long it waited', () => {
  const times = { startedAt: '2025-10-02T12:00:00.000Z', updatedAt: '2025-10-03T13:30:00.000Z' }
  const state = { ...openRunFacts(), ...times, run: '7', pausedMs: 24 * 3_600_000 }
  expect(nextCommand({ ...state, status: 'out_of_time' })).toMatch(/^baton resume 7 --time-limit 3h /)
})
