// A forge on 127.0.0.1 that answers with the published examples, remembers pull requests, and can be told to fail.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { matchOperation, readDescription, violationsOf } from './description.ts'
import type { Matched, Sent } from './description.ts'

interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** By method and path as the description writes it: `GET /repos/{owner}/{repo}`. */
export type Replies = Readonly<
  Record<string, Reply | ((sent: Sent, values: Readonly<Record<string, string>>) => Reply | Promise<Reply>)>
>

export interface ForgeServer {
  /** Address of the API, with its base path. */
  readonly url: string
  readonly origin: string
  readonly sent: readonly (Sent & { readonly headers: IncomingMessage['headers'] })[]
  /** Requests that the published description does not allow. */
  readonly violations: readonly string[]
  /**
   * The connection breaks at this request, counted from 1: before it is handled, or after. Where that lasts, nothing
   * that comes later reaches the server either.
   */
  breakAt?: { readonly request: number; readonly when: 'before' | 'after'; readonly lasts?: boolean }
  replies: Replies
}

export async function startForge(
  kind: 'github' | 'gitlab',
  replies: Replies = {},
  basePath = kind === 'github' ? '/api/v3' : '/api/v4',
): Promise<ForgeServer> {
  const operations = readDescription(kind)
  const sent: (Sent & { headers: IncomingMessage['headers'] })[] = []
  const violations: string[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = request.url ?? ''
    const one = {
      ...{ method: request.method ?? '', path: address.slice(basePath.length), headers: request.headers },
      body: await bodyOf(request),
    }
    sent.push(one)
    const broken = breakOf(forge, sent.length)
    if (broken === 'before') return void request.socket.destroy()
    if (!address.startsWith(basePath)) violations.push(`${one.method} ${address}: outside the API`)
    violations.push(...violationsOf(operations, one))
    const matched = matchOperation(operations, one)
    const reply = matched
      ? await replyTo(one, matched, forge.replies)
      : { status: 404, body: { message: 'Not Found' } }
    if (broken === 'after') return void request.socket.destroy()
    answer(response, reply)
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  started.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const forge: ForgeServer = { url: `${origin}${basePath}`, origin, sent, violations, replies }
  return forge
}

function breakOf({ breakAt }: ForgeServer, request: number): 'before' | 'after' | undefined {
  if (breakAt?.request === request) return breakAt.when
  return breakAt?.lasts === true && request > breakAt.request ? 'before' : undefined
}

function answer(response: ServerResponse, { status = 200, headers, body }: Reply): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body ?? null))
}

function replyTo(sent: Sent, { operation, values }: Matched, replies: Replies): Reply | Promise<Reply> {
  const own = replies[`${operation.method} ${operation.path}`]
  if (typeof own === 'function') return own(sent, values)
  return own ?? { status: operation.status, body: operation.example }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Buffer))
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}

/** The published example of an answer, with other values where a test needs them. */
export function exampleOf(
  kind: 'github' | 'gitlab',
  name: string,
  more: object = {},
): Readonly<Record<string, unknown>> {
  const operation = readDescription(kind).find(({ method, path }) => `${method} ${path}` === name)
  return { ...(operation?.example as object), ...more }
}

const started: (() => void)[] = []

afterAll(() => {
  for (const stop of started.splice(0)) stop()
})
