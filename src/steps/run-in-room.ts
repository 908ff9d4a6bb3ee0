import type { Room } from '../model/walls.ts'
import { ensureDirectory } from '../platform/files.ts'
import { findExecutable } from '../platform/executable.ts'
import { runProcess } from '../platform/process.ts'
import type { ProcessRequest, ProcessResult } from '../platform/process.ts'
import { rm } from '../platform/quick-files.ts'
import { guarded } from './guard-repository.ts'
import { checkRoom } from './rooms.ts'
import type { Place } from './rooms.ts'
import { networkTo } from './step-network.ts'
import type { Workplace } from './workplace.ts'

/** Runs what an agent may have written: inside the walls, where there are any. The room is made only for them. */
export async function runInRoom(
  { walls }: Pick<Workplace, 'walls'>,
  request: ProcessRequest,
  makeRoom: () => Promise<Room>,
): Promise<ProcessResult> {
  const [name, ...args] = request.argv
  const executable = findExecutable(name, request)
  // Without walls, or with nothing to start: as it is.
  if (walls.kind === 'none' || executable === undefined) return runProcess(request)
  const room = await makeRoom()
  await rm(room.scratch, { recursive: true, force: true })
  await ensureDirectory(room.scratch)
  const env = { ...request.env, TMPDIR: '/tmp' }
  const inside = walls.around({ argv: [executable, ...args], env, cwd: request.cwd }, room)
  try {
    return await runProcess({ ...request, ...inside, ceiling: room.limits })
  } finally {
    await rm(room.scratch, { recursive: true, force: true })
  }
}

/** For checks and set-up commands, with the hosts that they may reach. */
export async function runCommandInRoom(
  workplace: Workplace,
  request: ProcessRequest,
  { place, hosts }: { readonly place: Omit<Place, 'doors'>; readonly hosts: readonly string[] },
): Promise<ProcessResult> {
  const network = await networkTo(workplace, hosts)
  const { doors, env } = network
  try {
    const reaching = { ...request, env: { ...env, ...request.env } }
    return await guarded(workplace, {}, () =>
      runInRoom(workplace, reaching, () => checkRoom(workplace, { ...place, doors })),
    )
  } finally {
    network.close()
  }
}
