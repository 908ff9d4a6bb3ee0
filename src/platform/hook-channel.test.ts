import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHookChannel } from './hook-channel.ts'
import type { HookChannel, HookReply } from './hook-channel.ts'

let dir: string
let channel: HookChannel | undefined

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "baton hook's "))
})

afterEach(async () => {
  await channel?.close()
  channel = undefined
  rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
})

async function open(answer: (raw: string) => Promise<HookReply>, patience = {}): Promise<string> {
  const path = process.env['PATH'] ?? ''
  const places = { channel: join(dir, 'channel'), bin: join(dir, 'bin'), path }
  channel = await openHookChannel({ ...places, ...patience, answer })
  return channel.command
}

async function ask(command: string, input: string) {
  const child = spawn(command, [], { stdio: 'pipe' })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  return { stdout, stderr, code }
}

describe('the way from a tool to the firewall', () => {
  test('hands over what the tool said, byte for byte, and prints what comes back', async () => {
    const question = '{"command":"echo \'ü\\n\\\\ $HOME\'"}\nmore\n'
    const command = await open(async (raw) => ({ stdout: JSON.stringify({ raw }), code: 0 }))
    const { stdout, code } = await ask(command, question)
    expect(JSON.parse(stdout)).toEqual({ raw: question })
    expect(code).toBe(0)
    expect(readdirSync(join(dir, 'channel'))).toEqual(['ask'])
  })

  test('answers many at once, each with its own', async () => {
    const command = await open(async (raw) => ({ stdout: raw.trim(), code: 0 }))
    const inputs = Array.from({ length: 12 }, (_, at) => String(at).repeat(at * 3000 + 1))
    const answers = await Promise.all(inputs.map((input) => ask(command, input.slice(0, 30_000))))
    expect(answers.map(({ stdout }) => stdout.trim())).toEqual(inputs.map((input) => input.slice(0, 30_000)))
  })

  test('a denial has its reason on both outputs and exit code 2', async () => {
    const command = await open(async () => ({ stdout: 'Permission denied: no', code: 2 }))
    const { stdout, stderr, code } = await ask(command, '{}')
    expect({ stdout, stderr, code }).toEqual({
      stdout: 'Permission denied: no\n',
      stderr: 'Permission denied: no\n',
      code: 2,
    })
  })
})

describe('whatever goes wrong, the call is denied', () => {
  const denied = { code: 2, stdout: '', stderr: expect.stringMatching(/^Permission denied: ./) as string }

  test('the run is over', async () => {
    const command = await open(async () => ({ stdout: 'allow', code: 0 }))
    await channel?.close()
    expect(await ask(command, '{}')).toEqual(denied)
  })

  test('the run was killed, and its pipe is still there', async () => {
    const command = await open(async () => ({ stdout: 'allow', code: 0 }), { patienceSeconds: 1 })
    await channel?.close()
    mkdirSync(join(dir, 'channel'))
    execFileSync('mkfifo', [join(dir, 'channel', 'ask')])
    expect(await ask(command, '{}')).toEqual(denied)
  })

  test('no answer comes', async () => {
    const command = await open(() => new Promise(() => {}), { patienceSeconds: 1 })
    expect(await ask(command, '{}')).toEqual(denied)
  })

  test('the tool never ends its question', async () => {
    const command = await open(async () => ({ stdout: 'allow', code: 0 }), { patienceSeconds: 1 })
    const child = spawn(command, [], { stdio: 'pipe' })
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(2)
    child.stdin.destroy()
  })

  test('the decision throws', async () => {
    const command = await open(async () => {
      throw new Error('a bug')
    })
    expect(await ask(command, '{}')).toEqual(denied)
  })

  test.each([1, 3, 127, -1])('the answer has exit code %s', async (code) => {
    expect(await ask(await open(async () => ({ stdout: 'allow', code })), '{}')).toEqual(denied)
  })

  test('a denial without a reason, which tools would take for consent', async () => {
    expect(await ask(await open(async () => ({ stdout: '', code: 2 })), '{}')).toEqual(denied)
  })

  test('a question that is too large', async () => {
    const command = await open(async () => ({ stdout: 'allow', code: 0 }))
    expect(await ask(command, 'x'.repeat((16 << 20) + 1))).toEqual(denied)
  })

  test('what an agent plants among the questions is not followed', async () => {
    const asked: string[] = []
    const command = await open(async (raw) => {
      asked.push(raw)
      return { stdout: 'fine', code: 0 }
    })
    const secret = join(dir, 'secret')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, join(dir, 'channel', 'q.1'))
    symlinkSync(secret, join(dir, 'channel', 'a.1'))
    writeFileSync(join(dir, 'channel', 'ask'), '1\n../../x\n\n', { flag: 'a' })
    expect((await ask(command, 'mine')).code).toBe(0)
    expect(asked).toEqual(['mine'])
  })
})
