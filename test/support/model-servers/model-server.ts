// A model that plays from a test: the three services' ways of speaking, on 127.0.0.1.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../../src/model/json.ts'
import { claudeWire } from './claude-wire.ts'
import { codexWire } from './codex-wire.ts'
import { geminiWire } from './gemini-wire.ts'

export type Kind = 'gemini' | 'claude' | 'codex'

export const kinds: readonly Kind[] = ['gemini', 'claude', 'codex']

export type Call =
  | { readonly shell: string }
  | { readonly write: { readonly path: string; readonly text: string } }
  | { readonly tool: string; readonly input: { readonly [key: string]: Json } }

/** What the model does at one request. */
export interface Turn {
  readonly say?: string
  readonly calls?: readonly Call[]
  /** An error of the service instead of an answer. */
  readonly error?: {
    readonly status: number
    readonly headers?: Record<string, string>
    readonly body?: Json
  }
  /** Never a byte, or never an end. */
  readonly silent?: 'at once' | 'in the middle'
  /** The connection is cut in the middle of the answer. */
  readonly cut?: true
}

export interface Asked {
  /** How many tool calls of this conversation have been answered so far. */
  readonly turn: number
  /** What tools gave back, last one last. */
  readonly outputs: readonly string[]
  /** The first thing that the user said. */
  readonly prompt: string
  /** The names of all tools that the model is offered. */
  readonly tools: readonly string[]
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Json
  /** The body as it came. */
  readonly raw: string
}

export type Play = (asked: Asked) => Turn

/** How one service reads and writes. */
export interface Wire {
  readonly isModelCall: (url: string) => boolean
  read(body: Json): Pick<Asked, 'turn' | 'outputs' | 'prompt' | 'tools'>
  write(response: ServerResponse, turn: Turn, body: Json): void
  /** What else the tool may ask for on the way. */
  other(response: ServerResponse, url: string): void
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  /** The variables that point the tool here. */
  readonly env: Record<string, string>
}

const wires: Readonly<Record<Kind, Wire>> = { gemini: geminiWire, claude: claudeWire, codex: codexWire }

export async function startModelServer(kind: Kind, play: Play): Promise<ModelServer> {
  const wire = wires[kind]
  const asked: Asked[] = []
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString('utf8')
    const url = request.url ?? ''
    if (request.method !== 'POST' || !wire.isModelCall(url)) return wire.other(response, url)
    const body = JSON.parse(raw) as Json
    const one = { ...wire.read(body), url, headers: request.headers, body, raw }
    asked.push(one)
    const turn = play(one)
    if (turn.silent === 'at once') return
    if (turn.error) return fail(response, turn.error)
    wire.write(response, turn, body)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ url, asked, env: variables[kind](url) },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Where nobody listens. */
export async function closedAddress(kind: Kind): Promise<Record<string, string>> {
  const server = await startModelServer(kind, () => ({ say: '' }))
  await server[Symbol.asyncDispose]()
  return server.env
}

const variables: Readonly<Record<Kind, (url: string) => Record<string, string>>> = {
  gemini: (url) => ({ GEMINI_API_KEY: 'fake-gemini-key', GOOGLE_GEMINI_BASE_URL: url }),
  claude: (url) => ({ ANTHROPIC_API_KEY: 'fake-claude-key', ANTHROPIC_BASE_URL: url }),
  codex: (url) => ({ CODEX_API_KEY: 'fake-codex-key', OPENAI_BASE_URL: `${url}/v1` }),
}

function fail(response: ServerResponse, { status, headers, body }: NonNullable<Turn['error']>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body ?? { error: { code: status, message: `scripted ${status}` } }))
}
