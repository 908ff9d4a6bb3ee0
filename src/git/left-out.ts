import { discoveryGit, git } from './host-git.ts'
import type { Repository } from './repository.ts'

export interface LeftOut {
  readonly commits: number
  /** Tracked files with changes that are not committed. */
  readonly files: number
}

/** What people have in their checkout and a branch that begins at `start` does not. Undefined: nothing. */
export async function leftOut(
  repo: Repository,
  start: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<LeftOut | undefined> {
  const [commits, files] = await Promise.all([commitsBeside(repo, start), changedFiles(repo, env)])
  return commits + files === 0 ? undefined : { commits, files }
}

async function commitsBeside({ head, gitDir }: Repository, start: string): Promise<number> {
  if (head.type === 'unborn' || head.commit === start) return 0
  const range = `${start}..${head.commit}`
  const { code, stdout } = await git(['rev-list', '--count', range, '--'], { gitDir, allowFailure: true })
  return code === 0 ? Number(stdout.toString()) : 0
}

/** As the user's own git sees it. Files that git does not know are not counted: every checkout has some. */
async function changedFiles({ root }: Repository, env: Readonly<NodeJS.ProcessEnv>): Promise<number> {
  const flags = ['--porcelain', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=dirty']
  const { code, stdout } = await discoveryGit(['--no-optional-locks', 'status', ...flags], { cwd: root, env })
  return code === 0 ? stdout.toString().split('\0').length - 1 : 0
}
