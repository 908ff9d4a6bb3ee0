import { expect, test } from 'vitest'
import { openRunFacts } from '../model/run-state.ts'
import { nextCommand } from './next-command.ts'

test('the limit that is proposed is an hour more than the run has worked, however long it waited', () => {
  const times = { startedAt: '2025-10-02T12:00:00.000Z', updatedAt: '2025-10-03T13:30:00.000Z' }
  const state = { ...openRunFacts(), ...times, run: '7', pausedMs: 24 * 3_600_000 }
  expect(nextCommand({ ...state, status: 'out_of_time' })).toMatch(/^baton resume 7 --time-limit 3h /)
})

test('a failed run is not sent back to the end of the step that failed, which would fail again', () => {
  const failed = { ...openRunFacts(), run: '7', branch: 'task/7-x', base: 'main', status: 'failed' } as const
  const ended = (outcome: string): { readonly outcome: string } => ({ outcome })
  expect(nextCommand(failed, [ended('failed')])).toBe(
    'git log --oneline main..task/7-x   (no earlier step to go back to: put right what ended it, then start a new run)',
  )
  expect(nextCommand(failed, [ended('ok'), ended('failed')])).toBe(
    'git log --oneline main..task/7-x   (to go on from an earlier step: baton undo 7)',
  )
})
