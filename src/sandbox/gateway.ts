import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { lookup } from 'node:dns'
import { connect, isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { isListed, isNamedNear, isNear } from './host-list.ts'

export interface Gate {
  readonly socket: string
  close(): void
}

/** A proxy on a socket, for a room that has no other way out: to the hosts on the list, and to nobody else. */
export async function openGateway(hosts: readonly string[]): Promise<Gate> {
  const server = createServer((request, response) => passOn(hosts, request, response))
  server.on('connect', (request: IncomingMessage, socket: Duplex) => tunnel(hosts, request, socket))
  return listenAt(server)
}

/** In a folder that only we can enter; its name is short, since that of a socket has to be. */
export async function listenAt(server: Server): Promise<Gate> {
  const dir = mkdtempSync(join(tmpdir(), 'baton-door-'))
  const socket = join(dir, 'door')
  const open = new Set<Socket>()
  server.on('connection', (one: Socket) => {
    open.add(one)
    one.once('close', () => open.delete(one))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  // The room must not outlive us, and neither must a run wait for a connection that nobody uses.
  server.unref()
  return {
    socket,
    close() {
      server.close()
      for (const one of open) one.destroy()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function tunnel(hosts: readonly string[], { url = '' }: IncomingMessage, socket: Duplex): void {
  const [, host = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(url) ?? []
  socket.on('error', () => {})
  if (!isListed(hosts, host, Number(port)))
    return void socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${denial(host)}\n`)
  const way = connect({ host, port: Number(port), lookup: lookupFar(host) })
  way.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    way.pipe(socket).pipe(way)
  })
  way.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  socket.once('close', () => way.destroy())
}

function passOn(hosts: readonly string[], request: IncomingMessage, response: ServerResponse): void {
  const target = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined
  const host = target?.hostname ?? ''
  if (target?.protocol !== 'http:' || !isListed(hosts, host, Number(target.port || 80))) {
    response.writeHead(403).end(`${denial(host)}\n`)
    return
  }
  const { method, headers } = request
  const way = forward(target, { method, headers, lookup: lookupFar(host) }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  way.on('error', () => response.destroy())
  request.pipe(way)
}

function denial(host: string): string {
  return `Permission denied: '${host}' is not among the hosts that this step may reach`
}

/** A name on the list that leads to this machine or its neighbours is refused, unless that is what was listed. */
function lookupFar(asked: string): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const far = found?.filter(({ address }) => isNamedNear(asked) || !isNear(address)) ?? []
      const [first] = far
      if (error || !first)
        return done(error ?? Object.assign(new Error('address refused'), { code: 'EACCES' }), '')
      if (options.all === true) return done(null, far)
      return done(null, first.address, isIP(first.address))
    })
  }
}
