import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openShell } from './resident-shell.ts'
import type { ResidentShell } from './resident-shell.ts'
import { processesInside } from './processes.ts'

describe.skipIf(process.platform !== 'linux')('a shell in a room', () => {
  let scratch: string
  let shell: ResidentShell
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'baton-resident-shell-'))
    shell = openShell({ argv: ['/bin/sh'], env: {}, scratch })
  })
  afterEach(() => {
    shell.close()
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10 })
  })

  function run(script: string, input?: string, maxBytes = 1e6): Promise<[number, string, string]> {
    const command = { executable: '/bin/sh', args: ['-c', script], cwd: scratch, env: { A: 'x y' } }
    return shell.run({ commands: [command], input, maxBytes }, ({ codes, stdout, stderrs }) => [
      codes[0] ?? -1,
      stdout().toString(),
      stderrs[0] ?? '',
    ])
  }

  it('gives each command what it is to read, and keeps apart what they print', async () => {
    expect(await run('cat; echo "$A" >&2; exit 3', 'one')).toEqual([3, 'one', 'x y\n'])
    expect(await run('cat; pwd', 'a longer input')).toEqual([0, `a longer input${scratch}\n`, ''])
    expect(await run('cat')).toEqual([0, '', ''])
    expect(await run('cat', 'un')).toEqual([0, 'un', ''])
  })

  it('leaves nothing that has a name: who finds the folder finds nothing in it to put a link in the place of', async () => {
    await run('cat', 'secret')
    expect(readdirSync(scratch)).toEqual([])
    symlinkSync('/etc/passwd', join(scratch, 'out'))
    expect(await run('echo mine')).toEqual([0, 'mine\n', ''])
  })

  it('lets another command of ours read what was printed', async () => {
    const echo = { executable: '/bin/echo', args: ['long'], cwd: '/', env: {} }
    const other = openShell({ argv: ['/bin/sh'], env: {}, scratch })
    const read = await shell.run({ commands: [echo], maxBytes: 1e6 }, ({ stdoutPath }) => {
      const cat = { ...echo, executable: '/bin/cat', args: [stdoutPath] }
      return other.run({ commands: [cat], maxBytes: 1e6 }, ({ stdout }) => stdout().toString())
    })
    other.close()
    expect(read).toBe('long\n')
  })

  it('joins two commands by a pipe, and keeps apart how they ended and what they complained of', async () => {
    const sh = (script: string) => ({ executable: '/bin/sh', args: ['-c', script], cwd: '/', env: {} })
    const both = (first: string, second: string) =>
      shell.run({ commands: [sh(first), sh(second)], input: 'in', maxBytes: 1e6 }, ({ stdout, ...rest }) => [
        rest.codes,
        stdout().toString(),
        rest.stderrs,
      ])
    expect(await both('cat; echo 1 >&2; exit 3', 'cat; echo 2 >&2; exit 4')).toEqual([
      [3, 4],
      'in',
      ['1\n', '2\n'],
    ])
    // The reader goes before the writer has said a word.
    expect(await both('sleep 0.1; echo; exit 5', 'exec <&-; exit 6')).toEqual([
      [expect.any(Number), 6],
      '',
      ['', ''],
    ])
    expect(await run('cat', 'after')).toEqual([0, 'after', ''])
  })

  it('stands in no folder of anybody when it has nothing to do', async () => {
    await run('true')
    // The next answer comes after it has left.
    await shell.run(
      { commands: [{ executable: '/bin/true', args: [], cwd: '/', env: {} }], maxBytes: 1 },
      () => 0,
    )
    expect(await processesInside(scratch)).toEqual([])
  })

  it('refuses more than is wanted', async () => {
    await expect(run('yes | head -c 5000', undefined, 1000)).rejects.toThrow('more than 1000 bytes')
  })

  it('takes a command that ends the shell for a failure with its words, and stays ended', async () => {
    await expect(run('echo gone >&2; kill -9 $PPID; sleep 1')).rejects.toThrow('gone')
    await expect(run('true')).rejects.toThrow('gone')
  })

  it('answers itself: nobody in the room can open the way that its answers take', async () => {
    const [code, , stderr] = await run('echo 0 >/proc/$PPID/fd/3; exit 4')
    expect(code).toBe(4)
    expect(stderr).toContain('fd/3')
  })
})
