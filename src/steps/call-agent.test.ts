import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasCompleteAnswer } from './call-agent.ts'

test('an answer is complete when its exit code was written, and not when only the file was made for it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'baton-call-'))
  try {
    expect(await hasCompleteAnswer(dir)).toBe(false)
    writeFileSync(join(dir, 'exit.json'), '')
    expect(await hasCompleteAnswer(dir)).toBe(false)
    writeFileSync(join(dir, 'exit.json'), '\0'.repeat(11))
    expect(await hasCompleteAnswer(dir)).toBe(false)
    writeFileSync(join(dir, 'exit.json'), '{"code":0}\n')
    expect(await hasCompleteAnswer(dir)).toBe(true)
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
  }
})
