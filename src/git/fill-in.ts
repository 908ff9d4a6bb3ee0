import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { discoveryGit, firstComplaint, git } from './host-git.ts'
import type { Repository } from './repository.ts'

/**
 * A partial clone fetches files when somebody looks at them. The git directories of a task know no remote, so what
 * these commits hold is fetched before they are used, as a checkout of the user's own would do.
 */
export async function fillIn(repo: Repository, commits: readonly string[]): Promise<void> {
  if (repo.promisor === undefined) return
  // Where folders are missing too, each round brings to light what is missing one level deeper.
  for (let missing = await missingIn(repo, commits); missing.length > 0;) {
    await fetchObjects(repo, repo.promisor, missing)
    const asked = new Set(missing)
    const still = await missingIn(repo, commits)
    if (still.some((id) => asked.has(id))) throw cannotFetch(repo.promisor, 'it does not have them')
    missing = still
  }
}

async function missingIn(repo: Repository, commits: readonly string[]): Promise<string[]> {
  const args = ['rev-list', '--no-walk', '--objects', '--no-object-names', '--missing=print', ...commits]
  const { stdout } = await git(args, { gitDir: repo.gitDir, maxBytes: 512 * 1024 * 1024 })
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : []))
}

async function fetchObjects(repo: Repository, remote: string, ids: readonly string[]): Promise<void> {
  const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--no-auto-gc']
  const args = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', ...flags, '--filter=blob:none', '--stdin']
  const fetched = await discoveryGit([...args, remote], {
    cwd: repo.root,
    env: process.env,
    input: ids.map((id) => `${id}\n`).join(''),
  })
  if (fetched.code !== 0) throw cannotFetch(remote, firstComplaint(fetched))
}

function cannotFetch(remote: string, why: string): FailureError {
  return new FailureError({
    code: 'repository.partial',
    message: `This is a partial clone, and what it lacks cannot be fetched from '${remote}': ${why}`,
    next: `git fetch ${shellWord(remote)}   (once that works, the same command again)`,
  })
}
