import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bubblewrap, bubblewrapProgram } from '../../src/sandbox/bubblewrap.ts'
import type { Room, RoomCommand } from '../../src/model/walls.ts'
import { captureCommand } from '../../src/platform/capture.ts'
import type { Captured } from '../../src/platform/capture.ts'

/** Tests of the walls themselves need bubblewrap; a machine without it runs all others. */
export const isWalled = existsSync(bubblewrapProgram)

export const ownWalls = bubblewrap({
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  canDisableUserNamespaces: true,
})

export interface TestRoom {
  /** Everything of this test, the room's folders among it. */
  readonly dir: string
  readonly inside: string
  readonly room: Room
  run(script: string, change?: Partial<Room>, env?: RoomCommand['env']): Promise<Captured>
  remove(): void
}

/** A room with one folder to write in. */
export function makeRoom(): TestRoom {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'baton-room-')))
  const inside = join(dir, 'inside')
  const scratch = join(dir, 'scratch')
  for (const folder of [inside, scratch]) mkdirSync(folder)
  const limits = { memoryBytes: 2e9, processes: 200, fileBytes: 10e6 }
  const room: Room = {
    ...{ readable: [], writable: [inside], pinned: [], sealed: [], covered: [], doors: [] },
    ...{ scratch, limits },
  }
  return {
    ...{ dir, inside, room },
    async run(script, change = {}, env = { PATH: '/usr/local/bin:/usr/bin:/bin' }) {
      const command = { argv: ['/bin/sh', '-c', script] as const, env, cwd: inside }
      const { argv, ...at } = ownWalls.around(command, { ...room, ...change })
      return captureCommand(argv, { ...at, timeoutMs: 240_000 })
    },
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 10 }),
  }
}
