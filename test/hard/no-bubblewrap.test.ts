// A machine on which bubblewrap is not installed: it is hidden for one process, and for nobody else.
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { captureCommand } from '../../src/platform/capture.ts'
import type { Captured } from '../../src/platform/capture.ts'
import { bubblewrapProgram } from '../../src/sandbox/bubblewrap.ts'
import { program } from '../e2e/baton.ts'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { hardHome, scriptOf } from '../support/hard.ts'
import { isWalled } from '../support/room.ts'

const hiding = `mount --bind /dev/null ${bubblewrapProgram} && exec "$@"`

async function withoutBubblewrap(cwd: string, words: readonly string[]): Promise<Captured> {
  const bin = await makeFolder()
  await writeFiles(bin, { claude: '#!/bin/sh\necho "2.1.325 (Claude Code)"\n' })
  await chmod(join(bin, 'claude'), 0o755)
  const env = {
    ...{ PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: await hardHome(), LANG: 'C.UTF-8' },
    ...{ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  }
  const typed = [process.execPath, program, ...words]
  return captureCommand(['unshare', '-rm', '/bin/sh', '-c', hiding, 'sh', ...typed], { cwd, env })
}

describe.skipIf(!isWalled)('without bubblewrap', () => {
  test('R001-83: a run with a real agent is refused in two lines, with the command to install it, and leaves nothing', async () => {
    const root = await makeRepository()
    const ended = await withoutBubblewrap(root, ['run', 'Write the work', '--provider', 'claude'])
    expect(ended.code, ended.stderr).toBe(2)
    const lines = ended.stderr.trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('bubblewrap is not installed')
    expect(lines[1]).toContain('sudo apt install bubblewrap')
    expect(lines[1]).toContain('--sandbox off')
    expect(await gitIn(root, 'branch', '--format=%(refname:short)')).toBe('main')
  })

  test('scripted agents still run, as in the demo', async () => {
    const root = await makeRepository()
    const script = await scriptOf([{ writes: { 'work.txt': 'done\n' } }])
    const words = ['run', 'Write the work', '--workflow', 'work', '--script', script]
    const ended = await withoutBubblewrap(root, words)
    expect(ended.code, ended.stderr).toBe(0)
  })
})
