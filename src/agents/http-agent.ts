// A program of its own, started by the provider `http`: asks a model server once, prints what happens as JSON lines.
import type { IncomingMessage } from 'node:http'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { AgentEvent, AgentFailure } from '../model/agent.ts'
import { isJsonObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { errorCode } from '../platform/errno.ts'
import { keyName, modelsOf } from './http.ts'
import type { HttpPlay } from './http.ts'
import { bodyOf, send } from './http-request.ts'
import { baseUrlOf } from './http-settings.ts'
import { readAnswer } from './http-stream.ts'

const silenceMs = 10 * 60_000
const mostTries = 3
const firstDelayMs = 500
const longestDelayMs = 20_000

async function main(): Promise<number> {
  const play = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as HttpPlay
  const prompt = await readAll(process.stdin)
  const base = baseUrlOf(play)
  const model = play.model ?? (await firstModel(base))
  say({ type: 'started', ...(model === undefined ? {} : { model }) })
  const failure = await ask(base, { ...play, ...(model === undefined ? {} : { model }) }, prompt)
  if (failure) say({ type: 'error', ...failure })
  say({ type: 'finished', ok: failure === undefined })
  return failure === undefined ? 0 : 1
}

/** Tried again while nothing was said: half an answer cannot be continued. */
async function ask(base: URL, play: HttpPlay, prompt: string): Promise<AgentFailure | undefined> {
  let form = play.schema === undefined ? 1 : 0
  for (let tries = 1; ;) {
    const answer = await post(base, bodyFor(play, prompt, form)).catch(failed)
    if (isAnswer(answer) && answer.statusCode === 200) return readAnswer(answer, say).catch(failed)
    const failure = isAnswer(answer) ? await refusal(answer) : answer
    const next = nextTry(answer, { form, tries })
    if (!next) return failure
    await wait(next.afterMs)
    form = next.form
    tries = next.tries
  }
}

interface Try {
  readonly form: number
  readonly tries: number
}

/** A server that does not know how to hold a model to a schema is asked without, at once; one that is busy, later. */
function nextTry(
  answer: IncomingMessage | AgentFailure,
  { form, tries }: Try,
): (Try & { afterMs: number }) | undefined {
  if (isAnswer(answer)) {
    if (isAboutForm(answer) && form < forms.length - 1) return { form: form + 1, tries, afterMs: 0 }
    if (!isPassing(answer)) return undefined
  }
  if (tries >= mostTries) return undefined
  return { form, tries: tries + 1, afterMs: delayAfter(tries, isAnswer(answer) ? answer : undefined) }
}

function isAnswer(answer: IncomingMessage | AgentFailure): answer is IncomingMessage {
  return 'headers' in answer
}

function isAboutForm({ statusCode = 0 }: IncomingMessage): boolean {
  return [400, 415, 422, 501].includes(statusCode)
}

function post(base: URL, body: JsonObject): Promise<IncomingMessage> {
  const url = new URL(`${base.href.replace(/\/+$/, '')}/chat/completions`)
  return send({ method: 'POST', url, key: process.env[keyName], body: JSON.stringify(body), silenceMs })
}

/** From the strictest form that a server may offer to what every server takes. */
const forms: readonly ((schema: HttpPlay['schema']) => JsonObject)[] = [
  (schema) => ({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema: schema ?? {} },
    },
    stream_options: { include_usage: true },
  }),
  () => ({ response_format: { type: 'json_object' }, stream_options: { include_usage: true } }),
  () => ({}),
]

function bodyFor({ model, system, schema }: HttpPlay, prompt: string, form: number): JsonObject {
  return {
    ...(model === undefined ? {} : { model }),
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ],
    // The same question gives the same answer, as far as the server can promise that.
    ...{ stream: true, temperature: 0, seed: 0 },
    ...forms[form]?.(schema),
  }
}

async function firstModel(base: URL): Promise<string | undefined> {
  const url = modelsOf(base)
  const answer = await send({ method: 'GET', url, key: process.env[keyName], silenceMs: 10_000 }).catch(
    () => undefined,
  )
  if (answer?.statusCode !== 200) return undefined
  try {
    const { data } = JSON.parse(await bodyOf(answer, 1 << 20)) as { data: readonly { id: string }[] }
    return data[0]?.id
  } catch {
    // A server that does not list its models has one that needs no name.
    return undefined
  }
}

async function refusal(answer: IncomingMessage): Promise<AgentFailure> {
  const status = answer.statusCode ?? 0
  const message = `the server said ${status}${wordsIn(await bodyOf(answer, 4000))}`
  if (status === 401 || status === 403) return { error: 'auth', message }
  if (status === 402) return { error: 'quota', message }
  if (status === 429 || status === 503 || status === 529) return { error: 'overloaded', message }
  if (status === 404) return { error: 'not_found', message }
  return { error: status >= 500 ? 'crash' : 'refused', message }
}

function wordsIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    const error = isJsonObject(value) ? value['error'] : undefined
    const words = isJsonObject(error) ? error['message'] : error
    return typeof words === 'string' ? `: ${words.slice(0, 300)}` : ''
  } catch {
    // A page for people; the number says enough.
    return ''
  }
}

function isPassing({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode === 429 || statusCode >= 500
}

function delayAfter(tries: number, answer: IncomingMessage | undefined): number {
  const asked = Number(answer?.headers['retry-after']) * 1000
  return Math.min(longestDelayMs, asked >= 0 ? asked : firstDelayMs * 2 ** (tries - 1))
}

function failed(error: unknown): AgentFailure {
  const message = error instanceof Error ? error.message : String(error)
  return { error: 'crash', message: `the server could not be asked (${errorCode(error) ?? message})` }
}

function say(event: AgentEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}

// Unless it comes to an end, it has not done its work.
process.exitCode = 1
void main().then((code) => (process.exitCode = code))
