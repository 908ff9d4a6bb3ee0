import { spawn } from 'node:child_process'
import { createConnection, createServer } from 'node:net'
import { constants } from 'node:os'

// The doorkeeper of a room that has no network, started inside as `node relay.js PORT=SOCKET... -- COMMAND...`. Ports of
// the room's own loopback lead to sockets that somebody outside listens on; then the command runs, and its end is ours.

const split = process.argv.indexOf('--')
const doors = process.argv.slice(2, split)
const [command = '', ...args] = process.argv.slice(split + 1)

await Promise.all(doors.map(open))
const child = spawn(command, args, { stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
child.once('error', (error) => {
  process.stderr.write(`${command}: ${error.message}\n`)
  process.exit(127)
})
child.once('exit', (code, signal) =>
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
)

function open(door: string): Promise<void> {
  const at = door.indexOf('=')
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const way = createConnection({ path: door.slice(at + 1), allowHalfOpen: true })
    socket.on('error', () => way.destroy())
    way.on('error', () => socket.destroy())
    socket.pipe(way).pipe(socket)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(door.slice(0, at)), '127.0.0.1', resolve)
  })
}
