import { randomBytes } from 'node:crypto'
import { createServer, request as overHttp } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { request as overHttps } from 'node:https'
import { listenAt } from './gateway.ts'
import type { Gate } from './gateway.ts'

export interface KeyProxy extends Gate {
  /** Worth nothing but here, and only while the step lasts. */
  readonly token: string
}

export interface Service {
  readonly url: string
  readonly key: string
}

/**
 * Stands between an agent's tool and its service. Inside the walls there is only a token; here it becomes the key, on
 * the way to this one service. Whoever reads everything that the room holds has no key.
 */
export async function openKeyProxy(service: Service): Promise<KeyProxy> {
  const token = `baton-${randomBytes(24).toString('hex')}`
  const server = createServer((request, response) => serve({ ...service, token }, request, response))
  return { ...(await listenAt(server)), token }
}

type Exchange = Service & { readonly token: string }

function serve(exchange: Exchange, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/' } = request
  const headers = exchanged(exchange, request.headers)
  const path = url.replaceAll(exchange.token, () => encodeURIComponent(exchange.key))
  if (path === url && JSON.stringify(headers) === JSON.stringify(request.headers)) {
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"error":{"message":"no token of this step"}}')
    return
  }
  const { origin, protocol, host } = new URL(exchange.url)
  // Only the path is the caller's: an address in its place would take the key elsewhere.
  const target = new URL(origin)
  const send = protocol === 'http:' ? overHttp : overHttps
  const way = send(
    target,
    { method, path: path.startsWith('/') ? path : '/', headers: { ...headers, host } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  way.on('error', (error) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end(`${error.message}\n`)
  })
  response.once('close', () => way.destroy())
  request.pipe(way)
}

function exchanged(
  { token, key }: Exchange,
  headers: IncomingHttpHeaders,
): Record<string, string | string[]> {
  const swap = (text: string): string => text.replaceAll(token, () => key)
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      return [[name, typeof value === 'string' ? swap(value) : value.map(swap)]]
    }),
  )
}
