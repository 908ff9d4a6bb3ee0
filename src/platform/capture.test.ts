import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { captureCommand, pipeCommands } from './capture.ts'
import { sha256Of } from './files.ts'

const env = { PATH: '/usr/bin:/bin' }

test('a command gives its exit code and what it printed', async () => {
  const { code, stdout, stderr } = await captureCommand(['sh', '-c', 'echo out; echo err >&2; exit 4'], {
    env,
  })
  expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 4, stdout: 'out\n', stderr: 'err\n' })
})

test('a command reads what it is given, byte by byte', async () => {
  const input = Buffer.from([0, 255, 10, 128])
  expect((await captureCommand(['cat'], { env, input })).stdout).toEqual(input)
})

test('a command without input finds its stdin empty', async () => {
  expect((await captureCommand(['cat'], { env })).stdout.length).toBe(0)
})

test('a command that ends without reading its input is no error', async () => {
  expect((await captureCommand(['true'], { env, input: Buffer.alloc(1_000_000) })).code).toBe(0)
})

test('a command runs in its directory, with its environment and no other', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'baton-capture-'))
  const { stdout } = await captureCommand(['sh', '-c', 'pwd -P; echo "$ONE$HOME"'], {
    cwd,
    env: { ...env, ONE: '1' },
  })
  await rm(cwd, { recursive: true, force: true, maxRetries: 10 })
  expect(stdout.toString()).toMatch(/baton-capture-.*\n1\n$/)
})

test('variables that a shell keeps for itself are passed on like any other, and the next command is not harmed', async () => {
  const odd = { ...env, OPTIND: 'x', PPID: 'y', LINENO: 'z' }
  const { stdout } = await captureCommand(['/usr/bin/env'], { env: odd })
  expect(stdout.toString().split('\n')).toEqual(expect.arrayContaining(['OPTIND=x', 'PPID=y', 'LINENO=z']))
  expect((await captureCommand(['true'], { env })).code).toBe(0)
})

test.skipIf(process.platform !== 'linux')(
  'a command is run although the shell that waited for it was killed meanwhile',
  async () => {
    const ownShell = async (): Promise<string> =>
      (await captureCommand(['sh', '-c', 'echo $PPID'], { env })).stdout.toString().trim()
    const killed = await ownShell()
    process.kill(Number(killed), 'SIGKILL')
    while (existsSync(`/proc/${killed}`)) await sleep(5)
    expect(await ownShell()).toMatch(/^\d+$/)
  },
)

test('a whole path that leads nowhere is a missing command, and one that is no program too', async () => {
  const missing = { code: 127, stderr: '/nonexistent/tool: command not found\n' }
  expect(await captureCommand(['/nonexistent/tool'], { env })).toMatchObject(missing)
  expect(await captureCommand(['/etc/passwd'], { env })).toMatchObject({ code: 127 })
})

test('a missing command has the code 127 and a sentence', async () => {
  const { code, stderr } = await captureCommand(['no-such-command'], { env })
  expect({ code, stderr }).toEqual({ code: 127, stderr: 'no-such-command: command not found\n' })
})

test('a missing directory is an error that names it', async () => {
  await expect(captureCommand(['true'], { env, cwd: '/no/such/place' })).rejects.toThrow(
    'true in /no/such/place',
  )
})

test('a command that died of a signal has the code 128 and its number', async () => {
  expect((await captureCommand(['sh', '-c', 'kill -KILL $$'], { env })).code).toBe(137)
})

test('a command that takes too long is killed with its children and says so', async () => {
  const { code, stderr } = await captureCommand(['sh', '-c', 'sleep 1000 & sleep 1000'], {
    env,
    timeoutMs: 100,
  })
  expect({ code, stderr }).toEqual({ code: 124, stderr: 'sh: stopped after 100 ms\n' })
})

test('a command that is aborted rejects with the reason', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('enough')), 50)
  await expect(captureCommand(['sleep', '1000'], { env, signal: stop.signal })).rejects.toThrow('enough')
})

test('an answer over the limit is an error and not half an answer', async () => {
  const endless = captureCommand(['cat', '/dev/zero'], { env, maxBytes: 100_000 })
  await expect(endless).rejects.toThrow('cat printed more than 100000 bytes')
})

test('two commands are joined without losing a byte', async () => {
  const { from, to } = await pipeCommands(
    { argv: ['sh', '-c', 'head -c 50000000 /dev/zero; echo done >&2; exit 3'], env },
    { argv: ['sh', '-c', 'sleep 0.2; sha256sum; echo read >&2'], env },
  )
  expect({ from, code: to.code, stderr: to.stderr }).toEqual({
    from: { code: 3, stderr: 'done\n' },
    code: 0,
    stderr: 'read\n',
  })
  expect(to.stdout.toString().slice(0, 64)).toBe(sha256Of(Buffer.alloc(50_000_000)))
})

test('of two joined commands the first may read input', async () => {
  const { to } = await pipeCommands({ argv: ['cat'], env, input: 'c\na\nb\n' }, { argv: ['sort'], env })
  expect(to.stdout.toString()).toBe('a\nb\nc\n')
})

test('of two joined commands the first learns that the second has ended', async () => {
  const { from, to } = await pipeCommands({ argv: ['cat', '/dev/zero'], env }, { argv: ['true'], env })
  expect([from.code, to.code]).toEqual([141, 0])
})

test('of two joined commands neither is started if one is missing', async () => {
  const marker = join(tmpdir(), `baton-capture-${process.pid}`)
  const { from, to } = await pipeCommands(
    { argv: ['touch', marker], env },
    { argv: ['no-such-command'], env },
  )
  expect([from.code, to.code, to.stderr]).toEqual([127, 127, 'no-such-command: command not found\n'])
  await expect(readFile(marker)).rejects.toThrow('ENOENT')
})

test('two joined commands are aborted together', async () => {
  const signal = AbortSignal.timeout(50)
  const joined = pipeCommands(
    { argv: ['sleep', '1000'], env, signal },
    { argv: ['sleep', '1000'], env, signal },
  )
  await expect(joined).rejects.toThrow('timeout')
})
