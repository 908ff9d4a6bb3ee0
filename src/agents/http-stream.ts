import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import type { AgentEvent, AgentFailure } from '../model/agent.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { bodyOf } from './http-request.ts'

const mostBytes = 8 << 20

/** What a server said in the end: it was cut off, or refused; undefined where it finished. */
export type Ended = AgentFailure | undefined

/** Reads an answer as it comes, in pieces or whole, and hands on what is said in it. */
export async function readAnswer(message: IncomingMessage, say: (event: AgentEvent) => void): Promise<Ended> {
  const isStream = /event-stream/.test(message.headers['content-type'] ?? '')
  const reader = new Reader(say)
  if (!isStream) {
    reader.take(parsed(await bodyOf(message, mostBytes)))
    return reader.end(true)
  }
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let done = false
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) return { error: 'protocol', message: 'the answer of the server has no end' }
    const lines = `${rest}${decoder.write(chunk)}`.split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) done = reader.line(line) || done
  }
  return reader.end(reader.line(rest) || done)
}

class Reader {
  readonly #say: (event: AgentEvent) => void
  #reason: string | undefined
  #failure: Ended

  constructor(say: (event: AgentEvent) => void) {
    this.#say = say
  }

  /** True for the line that ends a stream. */
  line(text: string): boolean {
    const [, data] = /^data:\s?(.*)$/.exec(text) ?? []
    if (data === undefined) return false
    if (data.trim() === '[DONE]') return true
    this.take(parsed(data))
    return false
  }

  take(value: Json | undefined): void {
    if (!isJsonObject(value)) return
    this.#failure ??= failureIn(value['error'])
    const choice = firstOf(value['choices'])
    const text = choice && textIn(choice)
    if (text) this.#say({ type: 'text', text })
    const reason = choice?.['finish_reason']
    if (typeof reason === 'string') this.#reason = reason
    if (isJsonObject(value['usage'])) this.#say({ type: 'usage', ...usageOf(value['usage']) })
  }

  end(isDone: boolean): Ended {
    if (this.#failure) return this.#failure
    if (this.#reason === 'length')
      return { error: 'context', message: 'the model ran out of room for its answer' }
    if (this.#reason === 'content_filter')
      return { error: 'refused', message: 'the server filtered the answer' }
    if (isDone || this.#reason !== undefined) return undefined
    return { error: 'protocol', message: 'the answer of the server broke off' }
  }
}

function failureIn(error: Json | undefined): Ended {
  if (error === undefined || error === null) return undefined
  const words = isJsonObject(error) ? error['message'] : error
  return { error: 'crash', message: typeof words === 'string' ? words : 'the server failed' }
}

/** A piece of a stream, or the whole. */
function textIn(choice: { readonly [key: string]: Json }): string | undefined {
  const said = isJsonObject(choice['delta']) ? choice['delta'] : choice['message']
  const text = isJsonObject(said) ? said['content'] : undefined
  return typeof text === 'string' ? text : undefined
}

function usageOf(usage: { readonly [key: string]: Json }): {
  input?: number
  output?: number
  cached?: number
} {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage
  const cached = isJsonObject(details) ? details['cached_tokens'] : undefined
  return {
    ...(typeof input === 'number' ? { input } : {}),
    ...(typeof cached === 'number' ? { cached } : {}),
    ...(typeof output === 'number' ? { output } : {}),
  }
}

function firstOf(list: Json | undefined): { readonly [key: string]: Json } | undefined {
  const first: Json | undefined = Array.isArray(list) ? (list as readonly Json[])[0] : undefined
  return isJsonObject(first) ? first : undefined
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // A line that is no JSON is none of the answer.
    return undefined
  }
}
