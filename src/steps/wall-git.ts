import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Room, Walls } from '../model/walls.ts'
import { confineGit } from '../git/git-room.ts'
import { findGit } from '../git/host-git.ts'
import { findRegistration } from '../git/registration.ts'
import { objectStores } from '../git/object-stores.ts'
import type { Repository } from '../git/repository.ts'
import { submoduleConfigs } from '../git/submodule-configs.ts'
import { engineDirOf } from '../git/engine-dir.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { makeFolders } from '../platform/make-folders.ts'
import { toolchains } from '../sandbox/toolchains.ts'
import { sealedInGitDir } from './rooms.ts'

export interface Walled {
  readonly repo: Repository
  readonly folder: RunFolder
  readonly walls: Walls
}

/**
 * The engine's own git, where agents can write, goes behind the walls of the run too. It has nothing to run there; if
 * that should ever be wrong, what it runs finds a room without network, home, environment, journal or main repository.
 */
export function wallGit({ repo, folder, walls }: Walled): { close(): void } {
  // Elsewhere a shell could not be handed files without a name.
  if (walls.kind !== 'bubblewrap') return { close: () => undefined }
  const place = { repo, stateDir: folder.git }
  const rooms = confineGit({
    stateDir: folder.git,
    async enclose(argv, workTree) {
      makeFolders(scratchOf(place))
      return walls.around({ argv, env: {}, cwd: '/' }, await gitRoom(place, workTree))
    },
  })
  return {
    close() {
      rooms.close()
      rmSync(scratchOf(place), { recursive: true, force: true })
    },
  }
}

interface Place {
  readonly repo: Repository
  readonly stateDir: string
}

function scratchOf({ stateDir }: Place): string {
  return join(stateDir, 'room')
}

async function gitRoom(place: Place, workTree: string | undefined): Promise<Room> {
  const { repo, stateDir } = place
  const engine = engineDirOf({ stateDir })
  const own = join(stateDir, 'private')
  const modules = join(repo.gitDir, 'modules')
  // A worktree's submodules lie with its registration.
  const registration = workTree === undefined ? undefined : await findRegistration(repo.gitDir, workTree)
  const harmless = join(engine, 'config')
  const covered = (await submoduleConfigs(repo.gitDir)).map((path) => ({ path, by: harmless }))
  return {
    readable: [
      ...toolchains({ path: '', home: '/', programs: [findGit()] }).readable,
      ...[modules, ...(registration === undefined ? [] : [registration])],
      ...(await objectStores(repo)),
    ],
    writable: [engine, own, ...(workTree === undefined ? [] : [workTree])],
    pinned: [join(engine, 'objects')],
    sealed: sealedInGitDir.map((name) => join(engine, name)).filter((path) => existsSync(path)),
    covered,
    scratch: scratchOf(place),
    doors: [],
    limits,
  }
}

/** A repository may hold a file of any size, and git looks at it with as many threads as there are cores. */
const limits = { memoryBytes: 1024 ** 3, processes: 4096, fileBytes: 2 ** 50 }
