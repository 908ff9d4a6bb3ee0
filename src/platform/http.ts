import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { proxyFor } from './proxy.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** More than this is cut off: nobody reads a log of a gigabyte. */
  readonly maxBytes?: number
  /** Where HTTPS_PROXY and its like are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Nobody answered, or not to the end. The message never holds the address: it may carry a secret. */
export class NoAnswerError extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'NoAnswerError'
  }
}

const defaultMaxBytes = 20_000_000
const mostRedirects = 5

/**
 * One request with its whole answer, through the proxy of the environment where there is one. Written on node:http
 * because the fetch of Node 20 knows no proxies.
 */
export async function askHttp(request: HttpRequest): Promise<HttpAnswer> {
  let asked = request
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const answer = await askOnce(asked)
    const target = answer.headers['location']
    if (
      request.method !== 'GET' ||
      target === undefined ||
      ![301, 302, 303, 307, 308].includes(answer.status)
    )
      return answer
    asked = redirected(asked, target)
  }
  throw new NoAnswerError(`more than ${mostRedirects} redirects`)
}

/** A log may lie at a storage of somebody else: what proves who we are stays behind. */
function redirected(request: HttpRequest, target: string): HttpRequest {
  const url = new URL(target, request.url)
  if (url.origin === new URL(request.url).origin) return { ...request, url: url.href }
  const { authorization: _authorization, 'private-token': _token, ...headers } = request.headers
  return { ...request, url: url.href, headers }
}

async function askOnce(request: HttpRequest): Promise<HttpAnswer> {
  const late = AbortSignal.timeout(request.timeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, late]) : late
  try {
    return await send(request, signal)
  } catch (error) {
    request.signal?.throwIfAborted()
    if (late.aborted) throw new NoAnswerError(`no answer within ${Math.ceil(request.timeoutMs / 1000)} s`)
    throw error instanceof NoAnswerError ? error : new NoAnswerError(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message || error.name
}

async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const url = new URL(request.url)
  const proxy = proxyFor(url, request.env ?? {})
  const isSecure = url.protocol === 'https:'
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const options: RequestOptions = {
    method: request.method,
    signal,
    agent: false,
    headers: {
      host: url.host,
      ...request.headers,
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    },
  }
  const { request: open } = isSecure ? await import('node:https') : await import('node:http')
  if (proxy === undefined) return answerTo(open(url, options), { body, request })
  if (!isSecure) return answerTo(open(proxy, throughProxy(url, proxy, options)), { body, request })
  const socket = await tunnel(url, proxy, signal)
  const { connect } = await import('node:tls')
  const createConnection = () => connect({ socket, servername: url.hostname })
  return answerTo(open(url, { ...options, createConnection }), { body, request })
}

function throughProxy(url: URL, proxy: URL, options: RequestOptions): RequestOptions {
  const headers = { ...(options.headers as Record<string, string>), ...proxyHeaders(proxy) }
  return { ...options, path: url.href, headers }
}

async function tunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const { request } = await import('node:http')
  const path = `${url.hostname}:${url.port || '443'}`
  const asked = request(proxy, {
    method: 'CONNECT',
    path,
    agent: false,
    signal,
    headers: { host: path, ...proxyHeaders(proxy) },
  })
  return new Promise((resolve, reject) => {
    asked.once('connect', (answer: IncomingMessage, socket: Socket) => {
      if (answer.statusCode === 200) resolve(socket)
      else {
        socket.destroy()
        reject(new NoAnswerError(`the proxy refuses: ${answer.statusCode ?? 0}`))
      }
    })
    asked.once('response', (answer) => {
      answer.resume()
      reject(new NoAnswerError(`the proxy refuses: ${answer.statusCode ?? 0}`))
    })
    asked.once('error', reject)
    asked.end()
  })
}

function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const name = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(name).toString('base64')}` }
}

function answerTo(
  asked: ClientRequest,
  { body, request }: { readonly body: Buffer | undefined; readonly request: HttpRequest },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    asked.once('error', reject)
    asked.once('response', (answer) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const finish = (): void => resolve(answerOf(answer, Buffer.concat(chunks)))
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > (request.maxBytes ?? defaultMaxBytes)) {
          finish()
          answer.destroy()
        }
      })
      answer.once('end', finish)
      answer.once('error', reject)
      answer.once('close', () => reject(new NoAnswerError('the answer broke off')))
    })
    asked.end(body)
  })
}

function answerOf(answer: IncomingMessage, body: Buffer): HttpAnswer {
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as const],
  )
  return { status: answer.statusCode ?? 0, headers: Object.fromEntries(headers), body: body.toString('utf8') }
}
