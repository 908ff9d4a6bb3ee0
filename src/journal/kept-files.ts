import { join } from 'node:path'
import type { RunFolder } from './run-folder.ts'

export interface KeptFiles {
  /** What git does not keep of a worktree: ignored files, nested repositories, names and bytes it cannot hold. */
  readonly files: string
  /** Git directories of the worktree's submodules. */
  readonly modules: string
}

/** Where the archives lie that belong to a snapshot. Few snapshots have any. */
export function keptBeside({ dir }: Pick<RunFolder, 'dir'>, snapshot: number): KeptFiles {
  const kept = join(dir, 'kept')
  return { files: join(kept, `${snapshot}.tar`), modules: join(kept, `${snapshot}-modules.tar`) }
}
