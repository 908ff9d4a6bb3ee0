import { git, succeeded } from './host-git.ts'
import type { Repository } from './repository.ts'

/** Lines added between two commits that git takes for left-over conflict markers, as `file:line`. */
export async function conflictMarkers(repo: Repository, from: string, to: string): Promise<string[]> {
  const args = [
    'diff',
    '--check',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=all',
    '--no-color',
    from,
    to,
    '--',
  ]
  const found = await git(args, { gitDir: repo.gitDir, allowFailure: true })
  // 2 is git's way of saying that it found something.
  if (found.code !== 2) succeeded(args, found)
  return found.stdout
    .toString()
    .split('\n')
    .flatMap((line) => /^(.+:\d+): leftover conflict marker$/.exec(line)?.[1] ?? [])
}
