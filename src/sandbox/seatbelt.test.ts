import { describe, expect, it } from 'vitest'
import type { Room } from '../model/walls.ts'
import { profileFor, seatbelt, seatbeltProgram } from './seatbelt.ts'

const room: Room = {
  readable: ['/repo/.git/objects'],
  writable: ['/trees/1', '/state/git'],
  pinned: ['/state/git/objects'],
  sealed: ['/trees/1/.git', '/state/git/config'],
  covered: [{ path: '/tools/.npmrc', by: '/dev/null' }],
  scratch: '/state/tmp',
  doors: [],
  limits: { memoryBytes: 1, processes: 1, fileBytes: 1 },
}

describe('the profile for macOS', () => {
  it('denies everything that it does not name', () => {
    expect(profileFor(room).split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
    expect(profileFor(room)).not.toContain('allow network')
  })

  it('takes back what is sealed after it has allowed what is around it, since the last rule decides', () => {
    const lines = profileFor(room).split('\n')
    const allowed = lines.findIndex((line) =>
      line.startsWith('(allow file-read* file-write* (subpath "/trees/1")'),
    )
    const sealed = lines.indexOf('(deny file-write* (subpath "/trees/1/.git") (subpath "/state/git/config"))')
    expect(allowed).toBeGreaterThan(0)
    expect(sealed).toBeGreaterThan(allowed)
    expect(lines).toContain('(deny file-read* file-write* (subpath "/tools/.npmrc"))')
  })

  it('does not let what is pinned be renamed', () => {
    expect(profileFor(room)).toContain('(deny file-write-unlink (literal "/trees/1") (literal "/state/git")')
  })

  it('opens the network for a door, and for nothing else', () => {
    const text = profileFor({ ...room, doors: [{ socket: '/run/a "b".sock', port: 1 }] })
    expect(text).toContain(String.raw`(allow network-outbound (literal "/run/a \"b\".sock"))`)
  })

  it('is given to the system program with the command', () => {
    const command = { argv: ['npm', 'test'] as const, env: { PATH: '/bin' }, cwd: '/trees/1' }
    const { argv, env } = seatbelt().around(command, room)
    expect([argv[0], argv[1], ...argv.slice(3)]).toEqual([seatbeltProgram, '-p', 'npm', 'test'])
    expect(env).toEqual({ PATH: '/bin', TMPDIR: '/state/tmp' })
  })
})
