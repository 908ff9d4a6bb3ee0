import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fixedClock } from '../../src/platform/clock.ts'
import { makeFolder, makeRepository } from '../support/git.ts'
import { playMinimal } from '../support/minimal.ts'

describe('the same answers at the same time', () => {
  it('R003-19: give the same journal, byte by byte, and the same commits', async () => {
    const template = await makeRepository({
      'workspace/src/__init__.py': '',
      '.baton/config.yaml': 'checks: { tests: { command: [sh, -c, "echo 5 passed"] } }\n',
    })
    const repository = join(await makeFolder(), 'project')
    const once = async () => {
      for (const left of [repository, join(dirname(repository), '.worktrees')])
        await rm(left, { recursive: true, force: true })
      await cp(template, repository, { recursive: true, preserveTimestamps: true })
      const clock = fixedClock(new Date('2025-10-02T11:00:00Z'), 1000)
      const run = await playMinimal({ repository, clock, script: join(dirname(repository), 'script.json') })
      return { log: run.log.split('\n'), exit: run.end.exitCode }
    }
    const first = await once()
    expect(first.exit).toBe(0)
    expect(first.log.join('')).toContain('"type":"patch"')
    expect(await once()).toEqual(first)
  })
})
