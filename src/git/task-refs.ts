import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
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
  if (result.code !== 0) refuseExisting(branch, result.stderr)
  succeeded(args, result)
}

function refuseExisting(branch: string, complaint: string): void {
  // No branch can be called task/1 beside one that is called task.
  const [, other] = /'refs\/heads\/([^']+)' exists; cannot create/.exec(complaint) ?? []
  if (other === undefined && !complaint.includes('already exists')) return
  throw new FailureError({
    code: 'branch.exists',
    message:
      other === undefined
        ? `The branch ${branch} exists already`
        : `The branch ${other} is in the way of ${branch}: git has no place for both names`,
    next: `git branch -m ${shellWord(other ?? branch)} <another-name>${other === undefined ? '  (or name the task differently)' : ''}`,
  })
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

/** If it is there. */
export async function dropRef(repo: Repository, ref: string): Promise<void> {
  await git(['update-ref', '-d', ref], { gitDir: repo.gitDir, allowFailure: true })
}
