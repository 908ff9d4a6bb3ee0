import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import { readableText } from '../model/outside-text.ts'
import type { NotifyTarget } from '../model/settings.ts'
import { captureCommand } from '../platform/capture.ts'
import { askHttp, NoAnswerError } from '../platform/http.ts'

export interface Notifier {
  /** Told of every line; never waits. */
  tell(line: JournalLine): void
  /** What could not be delivered, once everything was tried or the patience has ended. */
  settle(): Promise<readonly { readonly target: string; readonly why: string }[]>
}

export interface NotifyOptions {
  readonly run: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly retryMs?: readonly number[]
  readonly timeoutMs?: number
  /** Rings at the terminal, where there is one. */
  readonly ring?: () => void
}

type Moment = NotifyTarget['on'][number]

interface News {
  readonly event: Moment
  readonly run: string
  readonly text: string
  readonly at: string
}

/** Tells people elsewhere that a run needs them, has failed or is delivered. It never holds a run up. */
export function openNotifier(targets: readonly NotifyTarget[], options: NotifyOptions): Notifier {
  const failures: { target: string; why: string }[] = []
  const sent: Promise<void>[] = []
  return {
    tell(line) {
      const news = newsIn(line, options.run)
      if (!news) return
      for (const target of targets.filter(({ on }) => on.includes(news.event))) {
        const name = nameOf(target)
        const failed = (error: unknown): void => {
          failures.push({ target: name, why: error instanceof Error ? error.message : 'failed' })
        }
        sent.push(deliver(target, news, options).catch(failed))
      }
    },
    async settle() {
      await Promise.all(sent)
      return failures
    },
  }
}

function newsIn({ type, data, ts }: JournalLine, run: string): News | undefined {
  const say = (event: Moment, text: string): News => ({
    event,
    run,
    text: readableText(text).slice(0, 1000),
    at: ts,
  })
  if (type === 'run.waiting') return say('needs_input', `Run ${run} needs you: ${textOf(data['question'])}`)
  if (type === 'run.stopped') return say('failed', `Run ${run} stopped: ${textOf(data['message'])}`)
  if (type !== 'run.finished' || data['outcome'] === 'cancelled') return undefined
  if (data['outcome'] === 'ok') return say('delivered', `Run ${run} is delivered.`)
  return say('failed', `Run ${run} ended ${textOf(data['outcome'])}: ${textOf(data['reason'])}`)
}

function nameOf({ command, webhook, slack, discord, telegram }: NotifyTarget): string {
  return command?.[0] ?? webhook ?? slack ?? discord ?? telegram?.token ?? 'bell'
}

async function deliver(target: NotifyTarget, news: News, options: NotifyOptions): Promise<void> {
  const { timeoutMs = 10_000 } = options
  // Without a terminal nobody would hear it, which is no failure.
  if (target.bell) return options.ring?.()
  if (target.command) return runCommand(target.command, news, { ...options, timeoutMs })
  const { url, body } = letterFor(target, news, options)
  const secret = target.secret === undefined ? undefined : options.env[target.secret]
  const signature = secret === undefined ? {} : { 'x-baton-signature-256': `sha256=${signed(secret, body)}` }
  const headers = { 'content-type': 'application/json', 'user-agent': 'baton', ...signature }
  await postUntilTaken({ url, body, headers, timeoutMs }, options)
}

interface Post {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

async function postUntilTaken(letter: Post, options: NotifyOptions): Promise<void> {
  const delays = options.retryMs ?? [500, 2000]
  for (let tried = 0; ; tried++) {
    const why = await post(letter, options)
    if (why === undefined) return
    const delay = delays[tried]
    if (delay === undefined) throw new Error(why)
    await pause(delay)
  }
}

/** Undefined: it was taken. The address is never named: it may be a secret. */
async function post(letter: Post, { env }: NotifyOptions): Promise<string | undefined> {
  try {
    const { status } = await askHttp({ method: 'POST', ...letter, env })
    return status < 300 ? undefined : `answered ${status}`
  } catch (error) {
    if (error instanceof NoAnswerError) return error.message
    throw error
  }
}

/** Addresses stand in variables of the environment, so that no settings file holds a secret. */
function letterFor(target: NotifyTarget, news: News, { env }: NotifyOptions): { url: string; body: string } {
  const { telegram } = target
  const at = (variable: string): string => {
    const value = env[variable]
    if (value !== undefined && value !== '') return value
    throw new Error(`the variable ${variable} is not set`)
  }
  if (telegram) {
    const base = telegram.api ?? 'https://api.telegram.org'
    const url = `${base}/bot${at(telegram.token)}/sendMessage`
    return { url, body: JSON.stringify({ chat_id: telegram.chat, text: news.text }) }
  }
  if (target.slack !== undefined) return { url: at(target.slack), body: JSON.stringify({ text: news.text }) }
  if (target.discord !== undefined) {
    const body = { content: news.text, allowed_mentions: { parse: [] } }
    return { url: at(target.discord), body: JSON.stringify(body) }
  }
  return { url: at(target.webhook ?? ''), body: JSON.stringify(news) }
}

function signed(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

async function runCommand(
  command: readonly [string, ...string[]],
  news: News,
  { env, timeoutMs }: NotifyOptions & { readonly timeoutMs: number },
): Promise<void> {
  const own = Object.entries(env).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  const { code } = await captureCommand(command, {
    env: { ...Object.fromEntries(own), BATON_EVENT: news.event, BATON_RUN: news.run },
    ...{ input: JSON.stringify(news), timeoutMs },
  })
  if (code !== 0) throw new Error(`ended with ${code}`)
}
