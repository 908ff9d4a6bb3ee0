import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isWalled, makeRoom } from '../../test/support/room.ts'
import type { TestRoom } from '../../test/support/room.ts'

describe.skipIf(!isWalled)('a room of bubblewrap (R001-83)', () => {
  let place: TestRoom
  beforeEach(() => {
    place = makeRoom()
  })
  afterEach(() => place.remove())

  it('lets a command write where it may, as the person who started it', async () => {
    const { code } = await place.run('echo done >file; test "$(id -u)" != 0')
    expect(code).toBe(0)
    expect(readFileSync(join(place.inside, 'file'), 'utf8')).toBe('done\n')
  })

  it('does not show what it was not given', async () => {
    const secret = join(place.dir, 'secret')
    writeFileSync(secret, 'key')
    const { code, stderr } = await place.run(`cat ${secret}`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('No such file')])
    expect(
      (await place.run('ls -A ~root /home /root /etc/shadow 2>/dev/null')).stdout.toString(),
    ).not.toContain('shadow')
  })

  it('keeps what is sealed as it is: content, name and place', async () => {
    const file = join(place.inside, '.git')
    writeFileSync(file, 'pointer')
    const { stdout } = await place.run(
      'echo x >.git || echo kept; mv .git other || echo named; rm -f .git || echo there',
      { sealed: [file] },
    )
    expect(stdout.toString()).toBe('kept\nnamed\nthere\n')
    expect(readFileSync(file, 'utf8')).toBe('pointer')
  })

  it('keeps a pinned folder in its place, and lets its content be written', async () => {
    const folder = join(place.inside, 'objects')
    mkdirSync(folder)
    const { stdout } = await place.run(
      'mv objects o2 || echo pinned; echo x >objects/new && cat objects/new',
      {
        pinned: [folder],
      },
    )
    expect(stdout.toString()).toBe('pinned\nx\n')
  })

  it('shows a covered file with another content', async () => {
    const file = join(place.inside, 'credentials')
    writeFileSync(file, 'secret')
    const { stdout } = await place.run('cat credentials; echo end', {
      covered: [{ path: file, by: '/dev/null' }],
    })
    expect(stdout.toString()).toBe('end\n')
  })

  it('has nothing in its environment but what was asked for, in its first process too', async () => {
    const env = { PATH: '/usr/bin:/bin', HOME: '/nowhere', LD_BIND_NOW: '1' }
    const { stdout } = await place.run("tr '\\0' '\\n' </proc/1/environ; echo --; env", {}, env)
    const [first = '', own = ''] = stdout.toString().split('--\n')
    expect(first.trim().split('\n').toSorted()).toEqual(['HOME=/nowhere', 'PATH=/usr/bin:/bin'])
    expect(own).toContain('LD_BIND_NOW=1')
  })

  it('cannot write kernel settings, even for root', async () => {
    const { stdout } = await place.run(
      'v=$(cat /proc/sys/kernel/core_pattern); printf %s "$v" >/proc/sys/kernel/core_pattern || echo refused',
    )
    expect(stdout.toString()).toBe('refused\n')
  })

  it('leaves nobody behind when its command has ended', async () => {
    const marker = join(place.inside, 'late')
    await place.run(`(setsid sh -c 'sleep 1; touch ${marker}' &) ; exit 0`)
    await new Promise((done) => setTimeout(done, 1500))
    expect(existsSync(marker)).toBe(false)
  })

  it('ends a command that writes too large a file', async () => {
    const { code } = await place.run('head -c 20000000 /dev/zero >big; test $(stat -c %s big) -le 10000512')
    expect(code).toBe(0)
  })

  it('reaches nothing on the network but its doors', async () => {
    const server = createServer((socket) => socket.end('hello'))
    const socket = join(place.dir, 'door')
    await new Promise<void>((done) => server.listen(socket, done))
    const ask = (port: number) =>
      `node -e "require('net').connect(${port},'127.0.0.1').on('error',()=>console.log('closed')).pipe(process.stdout)"`
    const doors = [{ socket, port: 4711 }]
    const { packageFile } = await import('../platform/package-file.ts')
    const readable = [packageFile('dist'), packageFile('package.json')]
    const path = { PATH: `${process.execPath.replace(/\/node$/, '')}:/usr/bin:/bin` }
    const { stdout, stderr } = await place.run(
      `${ask(4711)}; ${ask(4712)}; exit 3`,
      { doors, readable },
      path,
    )
    server.close()
    expect([stdout.toString(), stderr]).toEqual(['helloclosed\n', ''])
  })
})
