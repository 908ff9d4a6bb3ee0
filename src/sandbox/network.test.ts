import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { captureCommand } from '../platform/capture.ts'
import { packageFile } from '../platform/package-file.ts'
import { isWalled, makeRoom } from '../../test/support/room.ts'
import { openGateway } from './gateway.ts'
import { isListed, isNear } from './host-list.ts'
import { openKeyProxy } from './key-proxy.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(answer: (url: string, headers: IncomingHttpHeaders) => string): Promise<number> {
  const server: Server = createServer((request, response) => {
    response.end(answer(request.url ?? '', request.headers))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closing.push(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A request over a socket, by a process of its own. */
async function ask(socket: string, options: object): Promise<string> {
  const program = `
    const ask = require('http').request({ socketPath: ${JSON.stringify(socket)}, ...${JSON.stringify(options)} }, (answer) => {
      let text = ''
      answer.on('data', (part) => (text += part)).on('end', () => console.log(answer.statusCode + ' ' + text.trim()))
    })
    ask.on('connect', (answer) => { console.log(answer.statusCode); process.exit() })
    ask.on('error', (error) => console.log(error.message)).end()`
  const { stdout } = await captureCommand([process.execPath, '-e', program], { env: {} })
  return stdout.toString().trim()
}

describe('the list of hosts', () => {
  it.each([
    { host: 'registry.npmjs.org', port: 443, listed: true },
    { host: 'REGISTRY.npmjs.org.', port: 80, listed: true },
    { host: 'registry.npmjs.org', port: 22, listed: false },
    { host: 'evil-registry.npmjs.org', port: 443, listed: false },
    { host: 'registry.npmjs.org.evil.example', port: 443, listed: false },
    { host: 'a.example.org', port: 443, listed: true },
    { host: 'example.org', port: 443, listed: false },
    { host: 'notexample.org', port: 443, listed: false },
    { host: 'db.local', port: 5432, listed: true },
    { host: 'db.local', port: 443, listed: false },
  ])('answers $listed for $host:$port', ({ host, port, listed }) => {
    expect(isListed(['registry.npmjs.org', '*.example.org', 'db.local:5432'], host, port)).toBe(listed)
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '192.168.0.1',
    '172.20.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
    '::ffff:127.0.0.1',
  ])('knows %s for an address of this machine or its neighbours', (address) =>
    expect(isNear(address)).toBe(true),
  )

  it('takes no address of the open network for one', () => {
    expect(['93.184.216.34', '172.32.0.1', '2606:2800::1'].filter(isNear)).toEqual([])
  })
})

describe('the gateway of a room', () => {
  it('leads to a listed host, and says to others why not', async () => {
    const port = await serve((url) => `you asked for ${url}`)
    const gate = await openGateway([`127.0.0.1:${port}`])
    closing.push(() => gate.close())
    expect(await ask(gate.socket, { path: `http://127.0.0.1:${port}/page` })).toBe('200 you asked for /page')
    expect(await ask(gate.socket, { method: 'CONNECT', path: `127.0.0.1:${port}` })).toBe('200')
    expect(await ask(gate.socket, { path: 'http://example.org/' })).toMatch(
      /^403 Permission denied: 'example.org'/,
    )
    expect(await ask(gate.socket, { method: 'CONNECT', path: 'example.org:443' })).toBe('403')
  })

  it('does not follow a listed name to this machine', async () => {
    const port = await serve(() => 'secret')
    const gate = await openGateway([`localhost.localdomain:${port}`, `ip6-localhost:${port}`])
    closing.push(() => gate.close())
    expect(await ask(gate.socket, { method: 'CONNECT', path: `ip6-localhost:${port}` })).toBe('502')
  })
})

describe('the key proxy', () => {
  it('puts the key in the place of the token, in headers and in the address, for its own service', async () => {
    const port = await serve(
      (url, headers) => `${url} ${String(headers['x-api-key'])} ${String(headers.authorization)}`,
    )
    const proxy = await openKeyProxy({ url: `http://127.0.0.1:${port}/v1`, key: 'the-key' })
    closing.push(() => proxy.close())
    const { token } = proxy
    const headers = { 'x-api-key': token, authorization: `Bearer ${token}` }
    expect(await ask(proxy.socket, { path: '/v1/messages', headers })).toBe(
      '200 /v1/messages the-key Bearer the-key',
    )
    expect(await ask(proxy.socket, { path: `/v1?key=${token}` })).toMatch(/^200 \/v1\?key=the-key/)
  })

  it('gives nothing to who has no token, and sends the key nowhere else', async () => {
    const port = await serve((_, headers) => String(headers.host))
    const elsewhere = await serve(() => 'stolen')
    const proxy = await openKeyProxy({ url: `http://127.0.0.1:${port}`, key: 'the-key' })
    closing.push(() => proxy.close())
    expect(await ask(proxy.socket, { path: '/' })).toMatch(/^401/)
    const headers = { 'x-api-key': proxy.token, host: `127.0.0.1:${elsewhere}` }
    const path = `http://127.0.0.1:${elsewhere}/`
    expect(await ask(proxy.socket, { path, headers })).toBe(`200 127.0.0.1:${port}`)
  })
})

describe.skipIf(!isWalled)('a room with a gateway', () => {
  it('reaches the listed host through it, and this machine not at all', async () => {
    const place = makeRoom()
    closing.push(() => place.remove())
    const port = await serve(() => 'hello')
    const gate = await openGateway([`127.0.0.1:${port}`])
    closing.push(() => gate.close())
    const get = (options: string) =>
      `node -e "require('http').get(${options},(a)=>a.pipe(process.stdout)).on('error',(e)=>console.log(' '+e.code))"`
    const script = `${get(`{port:3128,path:'http://127.0.0.1:${port}/'}`)}; ${get(`{port:${port}}`)}`
    const env = { PATH: `${process.execPath.replace(/\/node$/, '')}:/usr/bin:/bin` }
    const readable = [packageFile('dist'), packageFile('package.json')]
    const doors = [{ socket: gate.socket, port: 3128 }]
    const { stdout } = await place.run(script, { readable, doors }, env)
    expect(stdout.toString()).toBe('hello ECONNREFUSED\n')
  })
})
