import type { GateFacts, Judgement, TestFacts } from './gate.ts'
import { met, unmet } from './gate.ts'

export function testsPass({ tests }: GateFacts): Judgement {
  return judgeTests(tests)
}

function judgeTests(tests: TestFacts | undefined): Judgement {
  if (!tests) return unmet('the tests were not run')
  if (tests.type === 'not_run') return unmet(tests.reason)
  const ran = `'${tests.command}' exit code ${tests.exitCode}`
  return tests.exitCode === 0 ? met(ran) : unmet(`${ran}, log: ${tests.log}\n${tests.tail}`.trim())
}
