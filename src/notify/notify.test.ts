import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import type { NotifyTarget } from '../model/settings.ts'
import { openNotifier } from './notify.ts'

const on = ['needs_input', 'failed', 'delivered'] as const
const delivered = {
  ts: '2026-01-01T00:00:00Z',
  role: 'ENGINE',
  type: 'run.finished',
  data: { outcome: 'ok' },
} as const

describe('a notification (R001-159)', () => {
  it.each([
    ['slack', { slack: 'URL' }, { text: 'Run 7 is delivered.' }],
    ['discord', { discord: 'URL' }, { content: 'Run 7 is delivered.', allowed_mentions: { parse: [] } }],
    [
      'a webhook',
      { webhook: 'URL' },
      { event: 'delivered', run: '7', text: 'Run 7 is delivered.', at: delivered.ts },
    ],
  ])('has the form of %s', async (_, target, body) => {
    const { url, got } = await server([200])
    expect(await notify({ on, ...target }, { URL: url })).toEqual([])
    expect(got.map((one) => JSON.parse(one.body) as unknown)).toEqual([body])
  })

  it('has the form of telegram, whose token stands in a variable', async () => {
    const { url, got } = await server([200])
    const telegram = { chat: '42', token: 'BOT', api: url }
    expect(await notify({ on, telegram }, { BOT: 'secret' })).toEqual([])
    expect(got).toMatchObject([{ path: '/botsecret/sendMessage' }])
  })

  it('to a webhook is signed, and sent again where it was not taken', async () => {
    const { url, got } = await server([500, 200])
    expect(await notify({ on, webhook: 'URL', secret: 'KEY' }, { URL: url, KEY: 'k' })).toEqual([])
    expect(got).toHaveLength(2)
    const expected = createHmac('sha256', 'k')
      .update(got[1]?.body ?? '')
      .digest('hex')
    expect(got[1]?.signature).toBe(`sha256=${expected}`)
  })

  it.each([
    ['answers 500', [500, 500], 'answered 500', 30_000],
    ['does not answer', [0, 0], 'no answer within 1 s', 100],
  ])('that %s is told, without its address', async (_, codes, why, timeoutMs) => {
    const { url } = await server(codes)
    expect(await notify({ on, webhook: 'URL' }, { URL: url }, timeoutMs)).toEqual([{ target: 'URL', why }])
  })

  it('to nobody is told too', async () => {
    expect(await notify({ on, slack: 'URL' }, {})).toEqual([
      { target: 'URL', why: 'the variable URL is not set' },
    ])
    expect(await notify({ on, slack: 'URL' }, { URL: 'http://127.0.0.1:1/' })).toEqual([
      { target: 'URL', why: 'ECONNREFUSED' },
    ])
  })

  it('rings at the terminal where there is one, and fails nowhere', async () => {
    const rung: string[] = []
    const bell = [{ on: ['delivered'], bell: true }] as const
    const notifier = openNotifier(bell, { run: '7', env: {}, ring: () => void rung.push('rung') })
    notifier.tell(delivered)
    expect(await notifier.settle()).toEqual([])
    expect(rung).toEqual(['rung'])
    expect(await notify(bell[0], {})).toEqual([])
  })

  it('to a command goes into its standard input', async () => {
    const file = join(await makeFolder(), 'got.json')
    const command = ['/bin/sh', '-c', `cat > '${file}'`] as const
    expect(await notify({ on, command }, {})).toEqual([])
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ event: 'delivered', run: '7' })
    expect(await notify({ on, command: ['/bin/false'] }, {})).toEqual([
      { target: '/bin/false', why: 'ended with 1' },
    ])
  })

  it('is only of what was asked for', async () => {
    const { url, got } = await server([200])
    expect(await notify({ on: ['failed'], webhook: 'URL' }, { URL: url })).toEqual([])
    expect(got).toEqual([])
  })
})

function notify(
  target: NotifyTarget,
  env: Record<string, string>,
  timeoutMs = 30_000,
): ReturnType<ReturnType<typeof openNotifier>['settle']> {
  const notifier = openNotifier([target], { run: '7', env, retryMs: [0], timeoutMs })
  notifier.tell(delivered)
  return notifier.settle()
}

interface Got {
  readonly path: string
  readonly body: string
  readonly signature: unknown
}

/** Answers with one code after the other; 0 is no answer at all. */
async function server(codes: number[]): Promise<{ url: string; got: readonly Got[] }> {
  const got: Got[] = []
  const here = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      got.push({ path: request.url ?? '', body, signature: request.headers['x-baton-signature-256'] })
      const code = codes[got.length - 1] ?? 200
      if (code !== 0) response.writeHead(code).end()
    })
  })
  await new Promise<void>((resolve) => here.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    here.closeAllConnections()
    here.close()
  })
  return { url: `http://127.0.0.1:${(here.address() as AddressInfo).port}`, got }
}

const stops: (() => void)[] = []

afterAll(() => {
  for (const stop of stops) stop()
})
