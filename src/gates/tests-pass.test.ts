import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'

describe('tests_pass', () => {
  const ran = { type: 'ran', command: 'npm test', exitCode: 0, log: 'l.txt', tail: '1 failed' } as const

  it('counts only what the engine ran itself (C-63)', () => {
    expect(judge('tests_pass', { answer: { tests_passed: true } })).toBe('unmet: the tests were not run')
    expect(judge('tests_pass', { tests: ran })).toBe("met: 'npm test' exit code 0")
  })

  it('says what was run, how it ended, and where to read on', () => {
    expect(judge('tests_pass', { tests: { ...ran, exitCode: 1 } })).toBe(
      "unmet: 'npm test' exit code 1, log: l.txt\n1 failed",
    )
    expect(judge('tests_pass', { tests: { type: 'not_run', reason: 'no test command' } })).toBe(
      'unmet: no test command',
    )
  })
})

describe('tests_pass_clean', () => {
  const ran = {
    type: 'ran',
    ...{ command: 'npm test', log: 'l.txt', tail: '1 failed' },
    note: 'on a clean checkout of abc, linked from the worktree: node_modules',
  } as const

  it('looks only at the run in a clean checkout, and says how that was made', () => {
    expect(judge('tests_pass_clean', { tests: { ...ran, exitCode: 0 } })).toBe(
      'unmet: the tests were not run',
    )
    expect(judge('tests_pass_clean', { cleanTests: { ...ran, exitCode: 0 } })).toBe(
      "met: 'npm test' exit code 0 on a clean checkout of abc, linked from the worktree: node_modules",
    )
    expect(judge('tests_pass_clean', { cleanTests: { ...ran, exitCode: 1 } })).toBe(
      "unmet: 'npm test' exit code 1 on a clean checkout of abc, linked from the worktree: node_modules, log: l.txt\n1 failed",
    )
  })
})
