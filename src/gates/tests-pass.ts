import type { GateFacts, Judgement, TestFacts } from './gate.ts'
import { met, unmet } from './gate.ts'

export function testsPass({ tests }: GateFacts): Judgement {
  return judgeTests(tests)
}

/** What passes in the worktree only because of a file that is not committed does not pass here. */
export function testsPassClean({ cleanTests }: GateFacts): Judgement {
  return judgeTests(cleanTests)
}

function judgeTests(tests: TestFacts | undefined): Judgement {
  if (!tests) return unmet('the tests were not run')
  if (tests.type === 'not_run') return unmet(tests.reason)
  const { command, exitCode, note } = tests
  const ran = `'${command}' exit code ${exitCode}${note === undefined ? '' : ` ${note}`}`
  return exitCode === 0 ? met(ran) : unmet(`${ran}, log: ${tests.log}\n${tests.tail}`.trim())
}
