// Answers through a signed webhook: to a run that waits in another process.
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { baton, startBaton, until } from '../e2e/baton.ts'
import type { Running } from '../e2e/baton.ts'
import { hardHome, scriptOf } from '../support/hard.ts'
import { makeRepository } from '../support/git.ts'

const secret = 'a-secret-that-is-long-enough'

describe('baton listen', () => {
  it('hands a signed answer to the run that waits, once, and nothing that is not signed; a watch of all runs tells', async () => {
    const { root, waiting } = await blocked()
    const home = await hardHome()
    const watching = await startBaton(root, ['watch', '--every', '50ms'], { home })
    await watching.printed('RUN')
    const { url, listening } = await listen(root)
    const body = JSON.stringify({ run: '1', verb: 'answer', text: 'Use the staging database' })
    expect(await post(url, body, { with: 'guessed-by-somebody' })).toMatchObject({ status: 401 })
    expect(await post(url, body, { at: nowSeconds() - 600 })).toMatchObject({ status: 401 })
    expect(await post(url, '{"run":"1","verb":"cancel"}')).toMatchObject({ status: 400 })
    expect(await post(url, '{"run":"7","verb":"approve"}')).toMatchObject({ status: 404 })
    expect(await post(url, '{"run":"1","verb":"reject"}')).toMatchObject({
      status: 409,
      body: { code: 'message.empty' },
    })
    const at = nowSeconds()
    expect(await post(url, body, { at })).toMatchObject({ status: 200, body: { run: '1', verb: 'answer' } })
    expect((await waiting.ended).code).toBe(0)
    await watching.printed('Run 1 is delivered')
    watching.child.kill('SIGINT')
    expect((await watching.ended).code).toBe(130)
    const prompt = await readFile(join(root, '.baton/runs/1/steps/work.2/call-1/prompt.md'), 'utf8')
    expect(prompt).toContain('Use the staging database')
    expect(await post(url, body, { at })).toMatchObject({ status: 401 })
    listening.child.kill('SIGTERM')
    expect((await listening.ended).code).toBe(0)
    // Neither does a listener that was started anew take it again.
    const again = await listen(root)
    expect(await post(again.url, body, { at })).toMatchObject({ status: 401 })
    expect(await post(again.url, body, { at: at + 1 })).toMatchObject({
      status: 409,
      body: { code: 'run.not_waiting' },
    })
    again.listening.child.kill('SIGTERM')
    expect((await again.listening.ended).stdout).not.toContain(secret)
  })

  it('is refused without a secret, with a short one, and for a port that is none', async () => {
    const root = await makeRepository()
    const home = await hardHome()
    const without = await baton(root, ['listen'], { home })
    expect(without).toMatchObject({ code: 2 })
    expect(without.stderr).toContain('The variable BATON_LISTEN_SECRET holds no secret')
    const short = await baton(root, ['listen', '--secret-env', 'HOOK'], { home, env: { HOOK: 'short' } })
    expect(short.stderr).toContain('The variable HOOK holds no secret of at least 16 characters')
    const port = await baton(root, ['listen', '--port', 'x'], { home, env: { BATON_LISTEN_SECRET: secret } })
    expect(port.stderr).toContain("'x' is not a port.")
  })
})

/** A run whose worker cannot go on at first, in a process that waits. */
async function blocked(): Promise<{ root: string; waiting: Running }> {
  const root = await makeRepository()
  const script = await scriptOf([
    { answer: { status: 'blocked', feedback: 'Which database?' } },
    { writes: { 'a.txt': 'one\n' }, answer: { status: 'success' } },
  ])
  const words = ['run', 'Write the work', '--workflow', 'helped', '--script', script, '--stay']
  const waiting = await startBaton(root, words, { home: await hardHome() })
  const journal = join(root, '.baton/runs/1.log.jsonl')
  const asks = async () => (await readFile(journal, 'utf8').catch(() => '')).includes('"run.waiting"')
  await until(asks, 'the question')
  return { root, waiting }
}

async function listen(root: string): Promise<{ url: string; listening: Running }> {
  const env = { BATON_LISTEN_SECRET: secret }
  const listening = await startBaton(root, ['listen', '--port', '0'], { home: await hardHome(), env })
  let text = ''
  listening.child.stdout?.on('data', (part: string) => (text += part))
  await until(() => /http:\S+/.test(text), 'the address')
  return { url: /http:\S+/.exec(text)?.[0] ?? '', listening }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

async function post(
  url: string,
  body: string,
  how: { readonly at?: number; readonly with?: string } = {},
): Promise<{ status: number; body: unknown }> {
  const timestamp = String(how.at ?? nowSeconds())
  const digest = createHmac('sha256', how.with ?? secret)
    .update(`${timestamp}.${body}`)
    .digest('hex')
  const headers = { 'x-baton-timestamp': timestamp, 'x-baton-signature-256': `sha256=${digest}` }
  const answer = await fetch(url, { method: 'POST', body, headers })
  return { status: answer.status, body: await answer.json() }
}
