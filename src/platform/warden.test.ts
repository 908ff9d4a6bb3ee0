import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProcess } from './process.ts'

describe.skipIf(process.platform !== 'linux')('a ceiling over a process and all that it starts', () => {
  async function run(script: string, ceiling: { memoryBytes: number; processes: number }) {
    const dir = mkdtempSync(join(tmpdir(), 'baton-warden-'))
    try {
      const files = { stdoutFile: join(dir, 'out'), stderrFile: join(dir, 'err') }
      const argv = ['/bin/sh', '-c', script] as const
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
      return (await runProcess({ argv, cwd: dir, env, ceiling, wallMs: 200_000, ...files })).end
    } finally {
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    }
  }

  it('ends a command that starts too many', async () => {
    const script = 'for n in 1 2 3 4 5 6 7 8 9; do sleep 200 & done; wait'
    expect(await run(script, { memoryBytes: 1e9, processes: 5 })).toEqual({
      type: 'excess',
      what: 'processes',
    })
  })

  it('ends a command that takes too much memory, wherever in its tree', async () => {
    const eat = `${process.execPath} -e "const a = Buffer.alloc(2e8, 1); setTimeout(() => a, 200000)"`
    const end = await run(`(${eat}) & wait`, { memoryBytes: 1.5e8, processes: 50 })
    expect(end).toEqual({ type: 'excess', what: 'memory' })
  })

  it('leaves alone what stays below it', async () => {
    expect(await run('sleep 0.5', { memoryBytes: 1e9, processes: 50 })).toEqual({ type: 'exited', code: 0 })
  })
})
