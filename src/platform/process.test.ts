import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processesMarked, processesOwnedBy } from './mark.ts'
import { runProcess, type ProcessRequest } from './process.ts'
import { isAlive } from './processes.ts'

const env = { PATH: '/usr/bin:/bin' }
const onLinux = test.runIf(process.platform === 'linux')
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton-process-'))
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

const at = (name: string): string => join(directory, name)
const read = (name: string): Promise<string> => readFile(at(name), 'utf8')

function request(argv: readonly [string, ...string[]], more: Partial<ProcessRequest> = {}): ProcessRequest {
  return { argv, cwd: directory, env, stdoutFile: at('out'), stderrFile: at('err'), ...more }
}

const shell = (script: string, more: Partial<ProcessRequest> = {}): ProcessRequest =>
  request(['sh', '-c', script], more)

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20)
}

describe('a process that ends by itself', () => {
  test('gives its exit code, and its output is in the files', async () => {
    const result = await runProcess(shell('echo hello; echo oops >&2; exit 3'))
    expect(result).toEqual({
      end: { type: 'exited', code: 3 },
      durationMs: expect.any(Number),
      stdoutBytes: 6,
      stderrBytes: 5,
      sweptPids: [],
    })
    expect([await read('out'), await read('err')]).toEqual(['hello\n', 'oops\n'])
  })

  test('gives the signal it died of', async () => {
    const { end } = await runProcess(shell('kill -KILL $$'))
    expect(end).toEqual({ type: 'signalled', signal: 'SIGKILL' })
  })

  test('has the environment of the request and nothing else', async () => {
    await runProcess(
      request(['env'], { env: { PATH: env.PATH, ONE: '1' }, mark: { owner: 'm1', name: 'one' } }),
    )
    // Where /bin/sh is bash, it tells every command its own path, and counts shells again at exec.
    const found = (await read('out')).trim().split('\n')
    expect(found.filter((line) => !/^(_|SHLVL)=/.test(line)).toSorted()).toEqual([
      'BATON_MARK=m1:one',
      'ONE=1',
      `PATH=${env.PATH}`,
    ])
  })

  test('reads its input from a file', async () => {
    await writeFile(at('in'), 'a prompt')
    await runProcess(request(['cat'], { stdinFile: at('in') }))
    expect(await read('out')).toBe('a prompt')
  })

  test('has an empty input if none is given', async () => {
    expect((await runProcess(request(['cat']))).stdoutBytes).toBe(0)
  })

  test('may write stdout and stderr into one file, in order', async () => {
    await runProcess(shell('echo 1; echo 2 >&2; echo 3', { stderrFile: at('out') }))
    expect(await read('out')).toBe('1\n2\n3\n')
  })

  test('replaces the output of an earlier attempt', async () => {
    await runProcess(shell('echo a long first answer'))
    await runProcess(shell('echo short'))
    expect(await read('out')).toBe('short\n')
  })
})

describe('output that is followed', () => {
  test('comes in order and is complete when the result is given', async () => {
    const chunks: Buffer[] = []
    await runProcess(
      shell('seq 1 50000; sleep 0.3; seq 1 50000', { onOutput: (chunk) => chunks.push(chunk) }),
    )
    expect(Buffer.concat(chunks).equals(await readFile(at('out')))).toBe(true)
  })

  test('of 200 MB leaves memory flat', async () => {
    const before = process.memoryUsage().rss
    let bytes = 0
    let peak = before
    const result = await runProcess(
      request(['head', '-c', '200000000', '/dev/zero'], {
        onOutput(chunk) {
          bytes += chunk.length
          peak = Math.max(peak, process.memoryUsage.rss())
        },
      }),
    )
    expect([result.stdoutBytes, bytes]).toEqual([200_000_000, 200_000_000])
    expect(peak - before).toBeLessThan(100_000_000)
  })

  test('stops the process if its reader throws, and throws the same', async () => {
    const onOutput = (): never => {
      throw new Error('cannot parse')
    }
    await expect(runProcess(shell('echo x; sleep 1000', { onOutput }))).rejects.toThrow('cannot parse')
  })
})

describe('a command that is missing', () => {
  test.each(['no-such-command', './no-such-file', '/no/such/file', './plain', './folder', ''])(
    'is known before anything is created: %j',
    async (command) => {
      const cwd = await mkdtemp(at('cwd-'))
      await writeFile(join(cwd, 'plain'), '#!/bin/sh\n')
      const result = await runProcess(request([command], { cwd, exitFile: at('exit') }))
      expect(result.end).toEqual({ type: 'not_found', command })
      expect(await readdir(directory)).toEqual([cwd.slice(directory.length + 1)])
    },
  )

  test('is not looked for in the working directory, which an agent may write', async () => {
    await writeFile(at('tool'), '#!/bin/sh\necho mine\n', { mode: 0o755 })
    const result = await runProcess(request(['tool'], { env: { PATH: `:.:${env.PATH}` } }))
    expect(result.end).toEqual({ type: 'not_found', command: 'tool' })
  })

  test('is a script whose interpreter is missing, too', async () => {
    await writeFile(at('script'), '#!/no/such/interpreter\n')
    await chmod(at('script'), 0o755)
    const { end } = await runProcess(request([at('script')]))
    expect(end).toEqual({ type: 'not_found', command: at('script') })
  })

  test('is told from a working directory that is missing', async () => {
    await expect(runProcess(request(['true'], { cwd: at('gone') }))).rejects.toThrow('ENOENT')
  })
})

describe('a process that is stopped', () => {
  test('at its wall time has timed out, however much it says', async () => {
    const chatty = 'while :; do echo x; sleep 0.05; done'
    const { end } = await runProcess(shell(chatty, { wallMs: 700, idleMs: 30_000 }))
    expect(end).toEqual({ type: 'timeout' })
  })

  test('for saying nothing is idle, long before its wall time', async () => {
    const { end } = await runProcess(shell('echo x; sleep 1000', { wallMs: 50_000, idleMs: 300 }))
    expect(end).toEqual({ type: 'idle' })
  })

  test('by the signal is aborted', async () => {
    const stop = new AbortController()
    const { end } = await runProcess(
      shell('sleep 1000', { signal: stop.signal, onStarted: () => stop.abort() }),
    )
    expect(end).toEqual({ type: 'aborted' })
  })

  test('before it was started leaves nothing behind', async () => {
    const { end } = await runProcess(shell('echo x', { signal: AbortSignal.abort() }))
    expect(end).toEqual({ type: 'aborted' })
    expect(await readdir(directory)).toEqual([])
  })

  test('has time to put its things away', async () => {
    const script = `trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done`
    const stop = new AbortController()
    await runProcess(shell(script, { signal: stop.signal, graceMs: 30_000, onOutput: () => stop.abort() }))
    expect(await read('out')).toBe('ready\ntidy\n')
  })

  test('has that time also inside the shell that records its exit', async () => {
    await writeFile(
      at('agent'),
      `trap 'sleep 0.3; echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done`,
    )
    const stop = new AbortController()
    const more = { signal: stop.signal, graceMs: 30_000, onOutput: () => stop.abort(), exitFile: at('exit') }
    await runProcess(request(['sh', at('agent')], more))
    expect(await read('out')).toBe('ready\ntidy\n')
  })

  test('is killed if it does not care', async () => {
    const script = `trap '' TERM; echo ready; while :; do sleep 0.05; done`
    const stop = new AbortController()
    const more = { signal: stop.signal, graceMs: 100, onOutput: () => stop.abort() }
    const { end } = await runProcess(shell(script, more))
    expect(end).toEqual({ type: 'aborted' })
  })

  onLinux('takes everything with it that it started, in whatever session', async () => {
    const script = `setsid sh -c 'trap "" TERM; echo $$ >far; sleep 1000; :' & sleep 1000 & echo $! >near
      until [ -s far ]; do sleep 0.02; done; echo ready; wait`
    const stop = new AbortController()
    const mark = { owner: 'tree', name: '1' }
    const more = { signal: stop.signal, mark, onOutput: () => stop.abort() }
    const { end, sweptPids } = await runProcess(shell(script, more))
    const far = Number(await read('far'))
    expect(end).toEqual({ type: 'aborted' })
    expect(sweptPids).toContain(far)
    expect([isAlive(far), isAlive(Number(await read('near')))]).toEqual([false, false])
    expect(processesMarked(mark)).toEqual([])
  })
})

describe('what outlives a process that ended by itself', () => {
  onLinux('is swept if it carries the mark', async () => {
    const script = `setsid sleep 1000 & echo $! >far; while [ ! -s far ]; do :; done; exit 0`
    const { end, sweptPids } = await runProcess(shell(script, { mark: { owner: 'left', name: '1' } }))
    expect(end).toEqual({ type: 'exited', code: 0 })
    expect(sweptPids).toEqual([Number(await read('far'))])
  })

  onLinux.each([
    ['a session of its own', 'setsid sh -c "$daemon" &'],
    ['a second fork', '(setsid sh -c "$daemon" &)'],
    ['an environment of its own', 'env -i setsid sh -c "$daemon" &'],
    ['nohup', 'nohup sh -c "$daemon" >/dev/null 2>&1 &'],
    ['all of it: closed files, another folder', '(cd / && env -i setsid sh -c "$daemon" <&- >&- 2>&- &)'],
  ])('is swept although it has %s', async (_, start) => {
    const file = at('far')
    const daemon = `echo $$ >${file}; while :; do sleep 1000; done`
    const script = `daemon='${daemon}'; ${start}
      until [ -s ${file} ]; do sleep 0.02; done`
    const mark = { owner: at(''), name: 'daemon' }
    for (const more of [{}, { exitFile: at('exit.json') }]) {
      const { end, sweptPids } = await runProcess(shell(script, { mark, ...more }))
      expect(end).toEqual({ type: 'exited', code: 0 })
      const far = Number(await read('far'))
      expect(sweptPids).toContain(far)
      expect([isAlive(far), processesMarked(mark)]).toEqual([false, []])
      await rm(file)
    }
  })

  onLinux('is left alone if it is the part of another mark that is still at work', async () => {
    const other = { owner: at(''), name: 'other' }
    const stop = new AbortController()
    const mine = runProcess(shell('echo $$ >mine; exec sleep 1000', { mark: other, signal: stop.signal }))
    await until(() => processesMarked(other).length > 0)
    await runProcess(shell('true', { mark: { owner: at(''), name: 'one' } }))
    expect(processesMarked(other)).toHaveLength(1)
    expect(processesOwnedBy(at(''))).toEqual(processesMarked(other))
    stop.abort()
    expect((await mine).end).toEqual({ type: 'aborted' })
  })

  test('is killed with the group if there is no mark', async () => {
    await runProcess(shell('sleep 1000 & echo $! >near'))
    const pid = Number(await read('near'))
    await until(() => !isAlive(pid))
  })
})

describe('the start', () => {
  test('is told with the id of the process, and waited for', async () => {
    const told: number[] = []
    await runProcess(
      shell('echo $$', {
        async onStarted(pid) {
          await sleep(50)
          told.push(pid)
        },
      }),
    )
    expect(told).toEqual([Number(await read('out'))])
  })

  test('that cannot be recorded stops the process', async () => {
    const onStarted = async (): Promise<never> => {
      throw new Error('disk full')
    }
    await expect(runProcess(shell('sleep 1000', { onStarted }))).rejects.toThrow('disk full')
  })
})

describe('the exit file', () => {
  test('holds the exit code', async () => {
    const { end } = await runProcess(shell('exit 7', { exitFile: at('exit') }))
    expect(end).toEqual({ type: 'exited', code: 7 })
    expect(JSON.parse(await read('exit'))).toEqual({ code: 7 })
    expect((await readdir(directory)).toSorted()).toEqual(['err', 'exit', 'out'])
  })

  test('is written whatever the PATH of the process is', async () => {
    await runProcess(request(['/bin/sh', '-c', ':'], { env: { PATH: '/nowhere' }, exitFile: at('exit') }))
    expect(JSON.parse(await read('exit'))).toEqual({ code: 0 })
  })

  test('changes nothing in the arguments', async () => {
    const args = ['a b', `"'`, '$HOME `id` $(id)', 'line\nbreak', '', '*', '-n', '\\']
    const argv: readonly [string, ...string[]] = ['printf', '%s|', ...args]
    await runProcess(request(argv, { exitFile: at('an "exit" $file') }))
    expect(await read('out')).toBe(args.map((arg) => `${arg}|`).join(''))
  })

  test('and the mark take none of the variables of the request for themselves', async () => {
    const own = { limit: '10', code: 'c', exit_file: 'mine' }
    const asked = { env: { ...env, ...own }, mark: { owner: 'm1', name: 'one' } }
    for (const more of [asked, { ...asked, exitFile: at('exit') }]) {
      await runProcess(shell('echo "$limit $code $exit_file"', more))
      expect(await read('out')).toBe('10 c mine\n')
    }
    expect(JSON.parse(await read('exit'))).toEqual({ code: 0 })
  })

  test('of an earlier attempt is gone when this one is stopped', async () => {
    await writeFile(at('exit'), '{"code":0}')
    await runProcess(shell('sleep 1000', { exitFile: at('exit'), wallMs: 50 }))
    expect(existsSync(at('exit'))).toBe(false)
  })

  test('and the output are there although the engine was killed', async () => {
    const engine = `
      import { runProcess } from ${JSON.stringify(new URL('process.ts', import.meta.url).href)}
      const script = 'echo begun; until [ -e go ]; do sleep 0.02; done; echo answer; exit 7'
      await runProcess({ argv: ['sh', '-c', script], cwd: process.cwd(), env: { PATH: '/usr/bin:/bin' },
        stdoutFile: 'out', stderrFile: 'err', exitFile: 'exit' })`
    await writeFile(at('engine.mts'), engine)
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
    const parent = spawn(process.execPath, ['--import', tsx, 'engine.mts'], {
      cwd: directory,
      stdio: 'inherit',
    })
    await until(async () => existsSync(at('out')) && (await read('out')) === 'begun\n')
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await writeFile(at('go'), '')
    await until(() => existsSync(at('exit')))
    expect([JSON.parse(await read('exit')), await read('out')]).toEqual([{ code: 7 }, 'begun\nanswer\n'])
  })
})
