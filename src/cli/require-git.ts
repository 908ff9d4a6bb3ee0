import { dirname } from 'node:path'
import { findGit } from '../git/host-git.ts'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Surroundings } from './workbench.ts'

/** We find ours in /usr/bin too; agents, and whoever tests their work, have nothing but PATH. */
export function requireGit({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>): void {
  const path = env['PATH'] ?? '/usr/bin:/bin'
  if (findExecutable('git', { cwd, env: { PATH: path } }) !== undefined) return
  throw new FailureError({
    code: 'git.missing',
    message: `Agents would not find git: PATH is '${path}'.`,
    next: `export PATH=${shellWord(dirname(findGit()))}:"$PATH", then type the command again`,
  })
}
