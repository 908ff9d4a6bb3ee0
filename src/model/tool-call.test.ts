import { expect, test } from 'vitest'
import { allowed, denied } from './tool-call.ts'
import type { Decision, HookDialect, ToolCall } from './tool-call.ts'

test('R001-81: a denial begins with "Permission denied" and says why', () => {
  expect(denied('git:switch', 'an agent stays on its branch')).toEqual({
    allow: false,
    rule: 'git:switch',
    reason: 'Permission denied: an agent stays on its branch',
  })
})

test('a dialect reads a call and answers with the decision', () => {
  const dialect: HookDialect = {
    read: (raw): ToolCall => ({ kind: 'shell', name: 'Bash', command: raw }),
    answer: ({ allow }: Decision) => ({ stdout: '', code: allow ? 0 : 2 }),
  }
  expect(dialect.read('ls')).toEqual({ kind: 'shell', name: 'Bash', command: 'ls' })
  expect(dialect.answer(allowed('shell:plain')).code).toBe(0)
})
