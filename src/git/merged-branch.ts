import { isAncestor } from './facts.ts'
import { git, gitText } from './host-git.ts'
import { resolveCommit, type Repository } from './repository.ts'

export interface MergedBranch {
  readonly branch: string
  /** A name for the base: `main`, `origin/main`. */
  readonly base: string
  readonly dryRun: boolean
  /** The task's own, which a dry run has not removed. */
  readonly worktree: string
}

/** Only where every commit is part of the base and nobody has it checked out. Gives the commit that it was at. */
export async function deleteMergedBranch(
  repo: Repository,
  { branch, base, dryRun, worktree }: MergedBranch,
): Promise<string | undefined> {
  const { gitDir } = repo
  const ref = `refs/heads/${branch}`
  const tip = await resolveCommit(repo, ref)
  const target = await resolveCommit(repo, base)
  if (tip === undefined || target === undefined || !(await isAncestor(repo, tip, target))) return undefined
  const checkedOut = await gitText(['for-each-ref', '--format=%(worktreepath)', ref], { gitDir })
  if (checkedOut !== '' && !(dryRun && checkedOut === worktree)) return undefined
  // With the commit that was looked at: a branch that moved meanwhile stays.
  if (!dryRun) await git(['update-ref', '-d', ref, tip], { gitDir })
  return tip
}
