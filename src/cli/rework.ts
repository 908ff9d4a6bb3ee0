import { feedbackText } from '../forge/feedback-text.ts'
import type { PullRequest } from '../forge/forge.ts'
import type { NextForRequest } from '../forge/next-for-request.ts'
import { isOwnBody } from '../forge/request-body.ts'
import { fetchBranch } from '../git/remote.ts'
import { resolveCommit } from '../git/repository.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { readableText } from '../model/outside-text.ts'
import type { Outside } from '../steps/workplace.ts'
import type { RunRequest } from './plan-run.ts'

/** What a task from a forge brings along. */
export type Sourced = Pick<RunRequest, 'task' | 'source' | 'pr' | 'from' | 'feedback' | 'mode' | 'heard'> & {
  readonly base?: string
}

type Rework = NextForRequest & { readonly type: 'rework' }

/** What a run needs in order to go on with the branch of a pull request, told what was said about it. */
export async function reworkOf(
  outside: Outside,
  pull: PullRequest,
  { comments, failures, heard }: Rework,
): Promise<Sourced> {
  const { number, branch, commit, base, url, title, text } = pull
  const fetched = await fetchBranch(outside.git, { branch, into: `refs/baton/incoming/${number}` })
  if (fetched.type === 'failed') throw unreachable(pull, fetched.why)
  const isOurs = isOwnBody(text)
  const tracking = `${outside.git.remote}/${base}`
  const known = await resolveCommit(outside.git.repo, `refs/remotes/${tracking}`)
  return {
    task: [title, isOurs ? '' : text].map(readableText).join('\n\n').trim(),
    source: { url },
    from: fetched.value,
    pr: {
      number,
      branch,
      commit: fetched.value === commit ? commit : fetched.value,
      base,
      url,
      is_ours: isOurs,
    },
    mode: 'rework',
    feedback: [{ from: `pull request #${number}`, text: feedbackText(comments, { failures }), paths: [] }],
    heard: { pr: number, ids: heard },
    base: known === undefined ? base : tracking,
  }
}

function unreachable({ branch }: PullRequest, why: string): FailureError {
  return new FailureError({
    code: 'pr.unfetched',
    message: `The branch '${branch}' could not be fetched: ${why}`,
    next: 'git fetch   (once that works, the same command again)',
    exitCode: exitCodes.failed,
  })
}
