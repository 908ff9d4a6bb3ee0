import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { askHttp, NoAnswerError } from './http.ts'
import type { HttpAnswer, HttpRequest } from './http.ts'

describe('a request', () => {
  it('brings status, headers and the whole body, and sends its own with its length in bytes', async () => {
    const { url, seen } = await serve((_, response) => {
      response.writeHead(201, { 'x-one': 'a', 'set-cookie': ['b', 'c'] }).end('grüße')
    })
    const answer = await ask(url, { method: 'POST', body: '{"text":"ü"}', headers: { 'x-mine': '1' } })
    expect(answer).toMatchObject({ status: 201, body: 'grüße' })
    expect(answer.headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b, c' })
    expect(seen[0]?.headers).toMatchObject({ 'x-mine': '1', 'content-length': '13' })
  })

  it('cuts off what is longer than anybody reads', async () => {
    const { url } = await serve((_, response) => void response.end('x'.repeat(200_000)))
    const { body } = await ask(url, { maxBytes: 1000 })
    expect(body.length).toBeGreaterThanOrEqual(1000)
    expect(body.length).toBeLessThan(200_000)
  })

  it('is followed to where it leads on the same host, with all its headers', async () => {
    const { url, seen } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there' }).end()
      else response.end('here')
    })
    expect((await ask(url, { headers: { authorization: 'secret' } })).body).toBe('here')
    expect(seen[1]).toMatchObject({ url: '/there', headers: { authorization: 'secret' } })
  })

  it('leaves behind what proves who we are when it leads to another host', async () => {
    const other = await serve((_, response) => void response.end('log'))
    const { url } = await serve((_, response) => void response.writeHead(307, { location: other.url }).end())
    await ask(url, { headers: { authorization: 'secret', 'private-token': 'secret', accept: 'text/plain' } })
    expect(other.seen[0]?.headers).toMatchObject({ accept: 'text/plain' })
    expect(JSON.stringify(other.seen[0]?.headers)).not.toContain('secret')
  })

  it('does not walk in circles, and an order is never led elsewhere', async () => {
    const { url, seen } = await serve((_, response) => void response.writeHead(302, { location: '/' }).end())
    await expect(ask(url)).rejects.toThrow('more than 5 redirects')
    const before = seen.length
    expect((await ask(url, { method: 'POST', body: '' })).status).toBe(302)
    expect(seen.length).toBe(before + 1)
  })
})

describe('a request that nobody answers', () => {
  it('says why, never where: an address may hold a secret', async () => {
    const error: unknown = await ask('http://127.0.0.1:1/secret').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error).toMatchObject({ message: 'ECONNREFUSED' })
  })

  it('ends after its patience', async () => {
    const { url } = await serve(() => undefined)
    await expect(ask(url, { timeoutMs: 50 })).rejects.toThrow('no answer within 1 s')
  })

  it('ends with the patience also where the answer never ends', async () => {
    const { url } = await serve((_, response) => void response.writeHead(200).write('half'))
    await expect(ask(url, { timeoutMs: 50 })).rejects.toThrow(NoAnswerError)
  })

  it('is told from one that was answered by half', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    await expect(ask(url)).rejects.toThrow(NoAnswerError)
  })

  it('ends with the run', async () => {
    const stop = new AbortController()
    const { url } = await serve(() => stop.abort(new Error('the run is over')))
    await expect(ask(url, { signal: stop.signal })).rejects.toThrow('the run is over')
  })
})

describe('a request through a proxy', () => {
  it('names the whole address, with the name and the password of the proxy', async () => {
    const proxy = await serve((_, response) => void response.end('by proxy'))
    const env = { http_proxy: proxy.url.replace('//', '//ada:p%40ss@') }
    expect((await ask('http://forge.test/x?y=1', { env })).body).toBe('by proxy')
    expect(proxy.seen[0]).toMatchObject({
      url: 'http://forge.test/x?y=1',
      headers: {
        host: 'forge.test',
        'proxy-authorization': `Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
      },
    })
  })

  it('opens a tunnel for https, and says so when the proxy refuses', async () => {
    const proxy = await serve((_, response) => void response.end())
    const asked: string[] = []
    proxy.server.on('connect', (request, socket) => {
      asked.push(request.url ?? '')
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    })
    await expect(ask('https://forge.test/', { env: { HTTPS_PROXY: proxy.url } })).rejects.toThrow(
      'the proxy refuses: 407',
    )
    expect(asked).toEqual(['forge.test:443'])
  })

  it('speaks to the other side through the tunnel, not to the proxy', async () => {
    const plain = await serve((_, response) => void response.end())
    const proxy = await serve((_, response) => void response.end())
    proxy.server.on('connect', (_, socket) => {
      const { port } = plain.server.address() as AddressInfo
      const far = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        far.pipe(socket).pipe(far)
      })
      far.on('error', () => socket.destroy())
      socket.on('error', () => far.destroy())
    })
    // The other side speaks no TLS, and says so in its own words.
    await expect(ask('https://forge.test/', { env: { HTTPS_PROXY: proxy.url } })).rejects.toThrow(
      NoAnswerError,
    )
    expect(proxy.seen).toEqual([])
  })
})

function ask(url: string, more: Partial<HttpRequest> = {}): Promise<HttpAnswer> {
  return askHttp({ method: 'GET', url, headers: {}, timeoutMs: 30_000, ...more })
}

interface Seen {
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<{
  readonly url: string
  readonly seen: readonly Seen[]
  readonly server: ReturnType<typeof createServer>
}> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  started.push(server)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen, server }
}

const started: ReturnType<typeof createServer>[] = []

afterAll(() => {
  for (const server of started) {
    server.closeAllConnections()
    server.close()
  }
})
