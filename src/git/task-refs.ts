import { FailureError } from '../model/failure.ts'
import { git, succeeded } from './host-git.ts'
import type { Repository } from './repository.ts'

export interface TaskBranch {
  readonly run: string
  readonly branch: string
  /** The commit to start from, kept as refs/baton/<run>/base. */
  readonly start: string
}

/** In one transaction with the run's base ref, which afterwards proves that the branch is ours. */
export async function createTaskBranch(repo: Repository, { run, branch, start }: TaskBranch): Promise<void> {
  const input = `create refs/heads/${branch} ${start}\nupdate ${baseRef(run)} ${start}\n`
  const args = ['update-ref', '--stdin']
  const result = await git(args, { gitDir: repo.gitDir, input, allowFailure: true })
  // "refs/heads/task" in the way of "refs/heads/task/1" reads: 'refs/heads/task' exists; cannot create.
  if (result.code !== 0 && /already exists|exists; cannot create/.test(result.stderr)) {
    throw new FailureError({
      code: 'branch.exists',
      message: `The branch ${branch} exists already, or a branch's name is in its way`,
      next: `git branch -m ${branch} <another-name>  (or name the task differently)`,
    })
  }
  succeeded(args, result)
}

/** Only both together: the base ref proves that the branch is ours, and its start that nobody has used it. */
export async function deleteTaskBranch(repo: Repository, { run, branch, start }: TaskBranch): Promise<void> {
  const input = `delete refs/heads/${branch} ${start}\ndelete ${baseRef(run)} ${start}\n`
  await git(['update-ref', '--stdin'], { gitDir: repo.gitDir, input, allowFailure: true })
}

function baseRef(run: string): string {
  return `refs/baton/${run}/base`
}

/** Makes objects safe from garbage collection: a base may be force-pushed away while a task stands on it. */
export async function keepRef(repo: Repository, ref: string, commit: string): Promise<void> {
  await git(['update-ref', ref, commit], { gitDir: repo.gitDir })
}
