import { dirname } from 'node:path'
import { findGit } from '../git/host-git.ts'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Surroundings } from './workbench.ts'

/** We find ours in /usr/bin too; agents, and whoever tests their work, have nothing but PATH. */
export function requireGit(surroundings: Pick<Surroundings, 'env' | 'cwd'>): void {
  const mend = mendForGit(surroundings)
  if (mend === undefined) return
  throw new FailureError({
    code: 'git.missing',
    message: `Agents would not find git: PATH is '${pathIn(surroundings)}'.`,
    next: `${mend}, then type the command again`,
  })
}

/** What to type so that agents find git; undefined where they do. */
export function mendForGit({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): string | undefined {
  if (findExecutable('git', { cwd, env: { PATH: pathIn({ env }) } }) !== undefined) return undefined
  return `export PATH=${shellWord(dirname(findGit()))}:"$PATH"`
}

function pathIn({ env }: Pick<Surroundings, 'env'>): string {
  return env['PATH'] ?? '/usr/bin:/bin'
}
