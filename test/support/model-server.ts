// A model server on this machine that speaks the common chat protocol and says what a test tells it to.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../../src/model/json.ts'

interface Asked {
  readonly path: string
  readonly body: JsonObject
  readonly authorization: string
}

export interface ModelServer {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

/** Called for every question; the number counts from 1. */
export type Reply = (response: ServerResponse, asked: Asked, number: number) => void | Promise<void>

export async function startModelServer(reply: Reply): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/v1/models')
      return void response.end(JSON.stringify({ data: [{ id: 'small-model' }] }))
    const body = JSON.parse((await text(request)) || '{}') as JsonObject
    const one = { path: request.url ?? '', body, authorization: request.headers.authorization ?? '' }
    asked.push(one)
    await reply(response, one, asked.length)
  }
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () => new Promise((done) => void server.close(() => done())),
  }
}

/** The text in pieces, as servers send it. */
export function stream(
  response: ServerResponse,
  answer: string,
  end: JsonObject = { finish_reason: 'stop' },
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < answer.length; at += 7) {
    const delta = { content: answer.slice(at, at + 7) }
    response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`)
  }
  response.write(
    `data: ${JSON.stringify({ choices: [{ delta: {}, ...end }], usage: { prompt_tokens: 11, completion_tokens: 7 } })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message } }))
}
