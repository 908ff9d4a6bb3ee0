import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { authorship, type CommitContent } from './commit.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { succeeded, type GitOptions } from './host-git.ts'
import type { PrivateDir } from './private-dir.ts'
import type { TaskWorkspace } from './task-workspace.ts'
import { readTextIfPresent } from '../platform/files.ts'

export interface MergeRequest extends Pick<CommitContent, 'message' | 'author' | 'date'> {
  /** Open, and made for this merge: `mergeHead` gives the conflict marks a readable name. */
  readonly private: PrivateDir
  readonly base: string
}

export type MergeResult =
  | { readonly type: 'up_to_date' }
  | { readonly type: 'clean'; readonly tip: string }
  /** The merge stays under way in the private directory and the worktree. */
  | { readonly type: 'conflict'; readonly paths: readonly string[]; readonly text: string }

/** Merges the base into the task branch on the agent's side; the result crosses as any other commit does. */
export async function mergeBase(task: TaskWorkspace, request: MergeRequest): Promise<MergeResult> {
  const place = { gitDir: request.private.path, workTree: task.worktree }
  const named = (await readTextIfPresent(join(place.gitDir, 'BASE_HEAD')))?.trim() === request.base
  const args = [
    ...['-c', 'commit.cleanup=strip', 'merge', '--no-ff', '--no-edit', '--no-gpg-sign', '--no-stat'],
    ...['-m', request.message, named ? 'BASE_HEAD' : request.base],
  ]
  const result = await gitInAgentSpace(args, {
    ...place,
    env: authorship(request),
    allowFailure: true,
    // git merge (2.38) always starts `git stash create`, which looks at no nested repository.
    mayStartPrograms: true,
  })
  if (result.code === 0) {
    if (result.stdout.toString().startsWith('Already up to date')) return { type: 'up_to_date' }
    return { type: 'clean', tip: await request.private.tip() }
  }
  if (result.stderr.includes('unrelated histories')) throw await unrelated(task, request.base)
  // Other failures, such as a file in the way, leave no merge behind.
  if (!(await request.private.mergeUnderWay())) succeeded(args, result)
  return { type: 'conflict', ...(await conflictOf(place)) }
}

/** A shallow clone may only not know what the two have in common. */
async function unrelated(
  { repo, branch, worktree, run }: TaskWorkspace,
  base: string,
): Promise<FailureError> {
  const isShallow = (await readTextIfPresent(join(repo.gitDir, 'shallow'))) !== undefined
  const remedy = isShallow
    ? 'git fetch --unshallow'
    : `git -C ${shellWord(worktree)} merge --allow-unrelated-histories ${shellWord(base)}   (or bring back the history of the base)`
  return new FailureError({
    code: 'base.unrelated',
    message: `The base is at ${base} now, which has no commit in common with ${branch}`,
    next: `${remedy}, then: baton resume ${run}`,
    exitCode: exitCodes.waiting,
  })
}

const maxTextBytes = 200 * 1024

async function conflictOf(place: GitOptions): Promise<{ paths: string[]; text: string }> {
  const flags = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--no-color']
  const [unmerged, diff] = await Promise.all([
    gitInAgentSpace(['ls-files', '-u', '-z'], place),
    gitInAgentSpace(['diff', ...flags], place),
  ])
  const paths = unmerged.stdout
    .toString()
    .split('\0')
    .flatMap((line) => (line.includes('\t') ? [line.slice(line.indexOf('\t') + 1)] : []))
  return { paths: [...new Set(paths)], text: cut(diff.stdout) }
}

function cut(bytes: Buffer): string {
  if (bytes.length <= maxTextBytes) return bytes.toString()
  const end = bytes.lastIndexOf('\n', maxTextBytes)
  return `${bytes.subarray(0, end + 1).toString()}[cut after ${end + 1} of ${bytes.length} bytes]\n`
}
