import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openLetter } from './signed-message.ts'
import type { SignedMessage } from './signed-message.ts'

export interface LetterBoxOptions {
  readonly host: string
  readonly port: number
  readonly secret: string
  /** False where this very letter was taken before. */
  readonly claim: (signature: string) => Promise<boolean>
  readonly take: (message: SignedMessage) => Promise<Reply>
  readonly now: () => number
}

export interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
}

export interface LetterBox {
  readonly port: number
  close(): Promise<void>
}

const largestLetter = 64 << 10

/** Takes signed letters over HTTP. Who cannot sign learns nothing but that. */
export async function openLetterBox(options: LetterBoxOptions): Promise<LetterBox> {
  const server = createServer((request, response) => {
    replyTo(request, options).then(
      (reply) => send(response, reply),
      () => send(response, { status: 500, body: { error: 'failed' } }),
    )
  })
  server.requestTimeout = 10_000
  server.headersTimeout = 10_000
  server.maxConnections = 50
  await listening(server, options)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listening(server: Server, { port, host }: LetterBoxOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

async function replyTo(request: IncomingMessage, options: LetterBoxOptions): Promise<Reply> {
  if (request.url !== '/') return { status: 404, body: { error: 'not found' } }
  if (request.method !== 'POST') return { status: 405, body: { error: 'POST a signed message' } }
  const body = await bodyOf(request)
  if (body === undefined) return { status: 413, body: { error: 'too large' } }
  const signature = headerOf(request, 'x-baton-signature-256')
  const letter = { timestamp: headerOf(request, 'x-baton-timestamp'), signature, body }
  const opened = openLetter(letter, options.secret, options.now())
  if (opened.type === 'refused') return opened.why === 'form' ? badForm : notBelieved
  if (!(await options.claim(signature))) return notBelieved
  return options.take(opened.message)
}

const badForm: Reply = { status: 400, body: { error: 'not a message: {"run", "verb", "text"}' } }
const notBelieved: Reply = { status: 401, body: { error: 'not signed, too old, or taken before' } }

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    const bytes = Buffer.from(part as Buffer)
    size += bytes.length
    if (size > largestLetter) return undefined
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString('utf8')
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(`${JSON.stringify(body)}\n`)
}
