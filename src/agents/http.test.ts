import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { refuse, startModelServer, stream } from '../../test/support/model-server.ts'
import type { ModelServer, Reply } from '../../test/support/model-server.ts'
import type { AgentFailure } from '../model/agent.ts'
import { captureCommand } from '../platform/capture.ts'
import { createHttpProvider } from './http.ts'
import { baseUrlOf, isLoopback } from './http-settings.ts'
import { Transcript } from './transcript.ts'
import type { Heard } from './transcript.ts'

const schema = { type: 'object', required: ['plan_id'] }

let server: ModelServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

interface Answered {
  readonly heard: Heard
  readonly failure: AgentFailure | undefined
  readonly asked: ModelServer['asked']
}

/** One call of the real child program against the server. */
async function ask(reply: Reply, more: { key?: string; model?: string } = {}): Promise<Answered> {
  server = await startModelServer(reply)
  const provider = createHttpProvider({ baseUrl: server.url, path: '/usr/bin:/bin', ...more })
  const home = await mkdtemp(join(tmpdir(), 'baton-http-'))
  const promptFile = join(home, 'prompt.md')
  await writeFile(promptFile, 'What now?')
  const command = await provider.command({
    ...{ role: 'r', title: 'r', step: 's', visit: 1, call: 1, capabilities: [], mayWrite: false },
    ...{ worktree: home, home, promptFile, env: {}, values: {}, answerSchema: schema },
  })
  const { argv, env } = command
  const { stdout, code } = await captureCommand(argv, { env, cwd: home, input: 'What now?' })
  const parser = provider.parse?.(home)
  if (!parser) throw new Error('it prints events')
  const transcript = new Transcript(parser)
  transcript.push(stdout)
  const heard = transcript.end()
  return { heard, failure: provider.judge?.({ ...heard, code, complaint: '' }), asked: server.asked }
}

describe('a model server', () => {
  it('is asked with the prompt and the schema, and its answer comes in pieces, with what it used', async () => {
    const { heard, failure, asked } = await ask((response) => stream(response, '{"plan_id":"é😀"}'))
    expect(failure).toBeUndefined()
    expect(heard).toMatchObject({
      answer: '{"plan_id":"é😀"}',
      ...{ finished: true, model: 'small-model', usage: { input: 11, output: 7 } },
    })
    expect(asked).toMatchObject([
      {
        path: '/v1/chat/completions',
        body: {
          ...{ model: 'small-model', stream: true, temperature: 0, seed: 0 },
          messages: [{ role: 'user', content: 'What now?' }],
          response_format: { type: 'json_schema', json_schema: { schema } },
        },
      },
    ])
  })

  it('that knows no schemas is asked for any JSON, then without', async () => {
    const { failure, asked } = await ask((response, { body }) =>
      body['response_format'] === undefined
        ? stream(response, '{}')
        : refuse(response, 400, 'unknown response_format'),
    )
    expect(failure).toBeUndefined()
    expect(asked.map(({ body }) => (body['response_format'] as { type: string } | undefined)?.type)).toEqual([
      ...['json_schema', 'json_object', undefined],
    ])
  })

  it('that answers in one piece is heard as well', async () => {
    const { heard } = await ask((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ choices: [{ message: { content: '{"a":1}' }, finish_reason: 'stop' }] }))
    })
    expect(heard.answer).toBe('{"a":1}')
  })

  it('that is busy is asked again, and not for ever', async () => {
    const busy: Reply = (response, _asked, number) =>
      number < 3 ? void response.writeHead(503, { 'retry-after': '0' }).end() : stream(response, '{}')
    expect((await ask(busy)).failure).toBeUndefined()
    await server?.close()
    const { failure, asked } = await ask(
      (response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
    )
    expect([failure?.error, asked.length]).toEqual(['overloaded', 3])
  })

  it.each([
    [401, 'auth'],
    [404, 'not_found'],
    [413, 'refused'],
  ])('that says %i is not asked again: %s', async (status, error) => {
    const { failure, asked } = await ask((response) => refuse(response, status, 'no'))
    expect([failure?.error, failure?.message, asked.length]).toEqual([
      error,
      `the server said ${status}: no`,
      1,
    ])
  })

  it.each<[string, Reply, string]>([
    [
      'breaks off',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('data: {"choices":[{"delta":{"content":"{"}}]}\n\n'),
      'protocol',
    ],
    ['runs out of room', (response) => stream(response, '{"a":', { finish_reason: 'length' }), 'context'],
    [
      'fails on the way',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('data: {"error":{"message":"out of memory"}}\n\n'),
      'crash',
    ],
  ])('that %s has given no answer', async (_what, reply, error) => {
    expect((await ask(reply)).failure?.error).toBe(error)
  })

  it('gets the key in a header, and the child gets it in a variable, not in an argument', async () => {
    const { asked } = await ask((response) => stream(response, '{}'), { key: 'secret-key', model: 'mine' })
    expect(asked[0]).toMatchObject({ authorization: 'Bearer secret-key', body: { model: 'mine' } })
  })
})

describe('its address', () => {
  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]'])('may be %s', (host) => {
    expect(baseUrlOf({ baseUrl: `http://${host}:8080/v1` }).hostname).toBe(host)
  })

  it.each([
    '10.0.0.1',
    'example.org',
    '127.0.0.1.example.org',
    'localhost.example.org',
    '0.0.0.0',
    '[::ffff:102:304]',
  ])('R003-14: cannot be %s, unless the user allows it', (host) => {
    const baseUrl = `http://${host}/v1`
    expect(() => baseUrlOf({ baseUrl })).toThrow('is not on this machine')
    expect(baseUrlOf({ baseUrl, remote: true }).hostname).toBe(host)
    expect(isLoopback(host)).toBe(false)
  })

  it('is refused where it is none, and where nobody answers', async () => {
    for (const baseUrl of ['model', 'ftp://127.0.0.1/', 'http://user:key@127.0.0.1/'])
      expect(() => baseUrlOf({ baseUrl })).toThrow('is no address of a model server')
    const provider = createHttpProvider({ baseUrl: 'http://127.0.0.1:9/v1', path: '' })
    await expect(provider.check()).rejects.toMatchObject({ code: 'http.unreachable' })
    expect(provider.hosts).toEqual(['127.0.0.1'])
  })
})
