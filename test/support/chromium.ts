// A real browser without a window, driven over its debugging pipe: no package, no port.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'

const browser = ['chrom', 'ium'].join('')

const flags = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ...['--disable-dev-shm-usage', '--remote-debugging-pipe'],
]

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
}

export interface Page {
  /** What an expression in the page comes to. */
  evaluate(expression: string): Promise<unknown>
  press(key: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Every request the page has made since it was opened. */
  readonly requests: readonly string[]
  /** Errors and warnings of its console, refusals of its security policy included. */
  readonly complaints: readonly string[]
}

export async function openPage(url: string): Promise<Page> {
  const profile = await mkdtemp(join(tmpdir(), 'baton-browser-'))
  const child = spawn(browser, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    // The browser's helpers may write for a moment longer.
    await rm(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  })
  const requests: string[] = []
  const complaints: string[] = []
  const wire = connect(child, ({ method, params = {} }) => {
    if (method === 'Network.requestWillBeSent') requests.push(urlIn(params['request']))
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded')
      complaints.push(JSON.stringify(params))
    if (method === 'Runtime.consoleAPICalled' && params['type'] !== 'log')
      complaints.push(JSON.stringify(params))
  })
  const { targetInfos } = (await wire('Target.getTargets')) as {
    targetInfos: { type: string; targetId: string }[]
  }
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId
  const { sessionId } = await wire('Target.attachToTarget', { targetId, flatten: true })
  const call = (method: string, params: object = {}) => wire(method, params, String(sessionId))
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await call(`${domain}.enable`)
  await call('Page.navigate', { url })
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as { value?: unknown }).value
  }
  await evaluate(`new Promise((done) => document.readyState === 'complete' && location.href !== 'about:blank'
    ? done() : addEventListener('load', () => done()))`)
  return {
    ...{ evaluate, requests, complaints },
    async press(key) {
      const text = key.length === 1 ? { text: key } : {}
      const code = key === 'Enter' ? { windowsVirtualKeyCode: 13, text: '\r' } : {}
      await call('Input.dispatchKeyEvent', { type: 'keyDown', key, ...text, ...code })
      await call('Input.dispatchKeyEvent', { type: 'keyUp', key })
    },
    async resize(width, height) {
      await call('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: width < 600,
      })
    },
  }
}

type Wire = (method: string, params?: object, sessionId?: string) => Promise<Record<string, unknown>>

/** Messages are JSON with a NUL after each: commands on descriptor 3, answers and events on 4. */
function connect(child: ChildProcess, onEvent: (message: Message) => void): Wire {
  const [, , , commands, answers] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<
    number,
    { done: (value: Record<string, unknown>) => void; fail: (error: Error) => void }
  >()
  let rest = ''
  answers.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const message = JSON.parse(part) as Message
      const call = message.id === undefined ? undefined : waiting.get(message.id)
      if (!call) onEvent(message)
      else if (message.error) call.fail(new Error(message.error.message))
      else call.done(message.result ?? {})
    }
  })
  child.once('error', (error) => {
    for (const { fail } of waiting.values()) fail(error)
  })
  let last = 0
  return (method, params = {}, sessionId) =>
    new Promise((done, fail) => {
      const id = (last += 1)
      waiting.set(id, { done, fail })
      commands.write(
        `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
      )
    })
}

function urlIn(request: unknown): string {
  return (request as { readonly url: string }).url
}
