import { request as overHttp } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as overHttps } from 'node:https'
import { isLoopback } from './http-settings.ts'

export interface HttpCall {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly key?: string | undefined
  readonly body?: string
  /** How long the server may be silent. */
  readonly silenceMs: number
}

/** One request, no redirect followed, no proxy asked. What has the name of this machine goes to this machine. */
export function send(call: HttpCall): Promise<IncomingMessage> {
  const { method, url, key, body, silenceMs } = call
  const start = url.protocol === 'https:' ? overHttps : overHttp
  const headers = {
    accept: 'text/event-stream, application/json',
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }),
  }
  const options: RequestOptions = { method, headers, agent: false, timeout: silenceMs, ...pinned(url) }
  return new Promise((resolve, reject) => {
    const sent = start(url, options, resolve)
    sent.on('timeout', () => sent.destroy(new Error(`the server was silent for ${silenceMs / 1000} s`)))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** 'localhost' is not looked up: whoever answers for names could send it elsewhere. */
function pinned({ hostname }: URL): Pick<RequestOptions, 'lookup'> {
  if (hostname !== 'localhost' || !isLoopback(hostname)) return {}
  return {
    lookup: (_name, options, done) => {
      const both = [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
      if (options.all === true) (done as unknown as (error: null, all: typeof both) => void)(null, both)
      else done(null, '127.0.0.1', 4)
    },
  }
}

/** The whole body, up to a size; more is cut. */
export async function bodyOf(message: IncomingMessage, mostBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of message as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size > mostBytes) break
  }
  return Buffer.concat(parts).toString().slice(0, mostBytes)
}
