import { describe, expect, it } from 'vitest'
import { isWalled, ownWalls } from '../../test/support/room.ts'
import type { Walls } from '../model/walls.ts'
import { noWalls } from './no-walls.ts'
import { openWalls, proved } from './open-walls.ts'
import { testWalls } from './self-test.ts'

/** Our own, with something taken out of the command. */
function without(...words: readonly string[]): Walls {
  return {
    kind: 'bubblewrap',
    around(command, room) {
      const { argv, ...rest } = ownWalls.around(command, room)
      const at = argv.findIndex((_, index) => words.every((word, step) => argv[index + step]?.endsWith(word)))
      const [first, ...others] = argv.toSpliced(at, words.length)
      return { ...rest, argv: [first ?? '', ...others] }
    },
  }
}

describe.skipIf(!isWalled)('the test of the walls at start-up', () => {
  it('is passed by walls that hold', async () => {
    expect(await testWalls(ownWalls)).toEqual({ type: 'holds' })
  })

  it.each([
    { wall: 'kernel settings', words: ['--ro-bind', '/proc/sys', '/proc/sys'], rootOnly: true },
    { wall: 'capabilities', words: ['--cap-drop', 'ALL'], rootOnly: true },
    { wall: 'the name of the git directory', words: ['--ro-bind', '.git', '.git'], rootOnly: false },
  ])('names $wall where that wall is missing', async ({ wall, words, rootOnly }) => {
    if (rootOnly && process.getuid?.() !== 0) return
    const result = await testWalls(without(...words))
    expect(result.type === 'leaks' ? result.walls : []).toContain(wall)
  })

  it('names a network that is shared', async () => {
    const shared: Walls = {
      kind: 'bubblewrap',
      around(command, room) {
        const { argv, ...rest } = ownWalls.around(command, room)
        return {
          ...rest,
          argv: [argv[0], ...argv.slice(1).toSpliced(argv.indexOf('--remount-ro') - 1, 0, '--share-net')],
        }
      },
    }
    expect(await testWalls(shared)).toEqual({ type: 'leaks', walls: ['the net namespace'] })
  })

  it('refuses to go on with walls that do not hold: exit code 5', async () => {
    await expect(proved(noWalls)).rejects.toMatchObject({ code: 'sandbox.leaks', exitCode: 5 })
  })
})

describe('walls that cannot be put up', () => {
  it('are refused with the package to install and the way on without: exit code 2', async () => {
    const opening = openWalls({ platform: 'linux', program: '/nonexistent/bwrap' })
    await expect(opening).rejects.toMatchObject({
      code: 'sandbox.missing',
      exitCode: 2,
      next: expect.stringMatching(/apt install bubblewrap.*--sandbox off/),
    })
  })
})
