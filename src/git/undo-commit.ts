import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { commitTree, engineAuthor } from './commit.ts'
import { isAncestor } from './facts.ts'
import { git, gitText, succeeded } from './host-git.ts'
import { importCommits } from './import.ts'
import { resolveCommit } from './repository.ts'
import { snapshotRefFor } from './restore.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface Going {
  /** Tip of the task branch. */
  readonly from: string
  /** The commit whose content is wanted again. */
  readonly back: string
  /** Where the base stands now; undefined if it is gone. */
  readonly base: string | undefined
}

export type UndoneTree =
  | { readonly type: 'tree'; readonly tree: string; readonly merged?: string }
  /** What was wanted and what others have done contradict each other. */
  | { readonly type: 'conflict'; readonly paths: readonly string[]; readonly merged: string }

/** The content of an earlier commit, with the work of others that was merged since: undoing is not about theirs. */
export async function treeToGoBackTo(task: TaskWorkspace, going: Going): Promise<UndoneTree> {
  const { gitDir } = task.repo
  const merged = await mergedSince(task, going)
  if (merged === undefined) {
    return { type: 'tree', tree: await gitText(['rev-parse', `${going.back}^{tree}`], { gitDir }) }
  }
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', going.back, merged]
  const result = await gitInAgentSpace(args, { gitDir: task.engineDir, allowFailure: true })
  if (result.code > 1) succeeded(args, result)
  const [tree = '', ...paths] = result.stdout.toString().split('\0').filter(Boolean)
  return result.code === 0 ? { type: 'tree', tree, merged } : { type: 'conflict', paths, merged }
}

/** The newest commit of the base that the branch has and the earlier commit had not. */
async function mergedSince(task: TaskWorkspace, { from, back, base }: Going): Promise<string | undefined> {
  const { repo } = task
  const common = base === undefined ? undefined : await commonCommit(task, from, base)
  // The base may have been force-pushed since it was merged: what was merged is kept by a ref of the run.
  const target = await resolveCommit(repo, `refs/baton/${task.run}/target`)
  const kept = target !== undefined && (await isAncestor(repo, target, from)) ? target : undefined
  const newest =
    common !== undefined && kept !== undefined && (await isAncestor(repo, common, kept))
      ? kept
      : (common ?? kept)
  return newest === undefined || (await isAncestor(repo, newest, back)) ? undefined : newest
}

async function commonCommit(task: TaskWorkspace, one: string, other: string): Promise<string | undefined> {
  const { gitDir } = task.repo
  const { code, stdout } = await git(['merge-base', one, other], { gitDir, allowFailure: true })
  return code === 0 ? stdout.toString().trim() : undefined
}

export interface UndoCommit {
  readonly from: string
  readonly tree: string
  readonly merged?: string
  readonly message: string
  /** ISO 8601, from the journal. */
  readonly date: string
}

/** In the main repository under a snapshot ref; the branch does not move yet. The tip itself where nothing differs. */
export async function commitUndo(task: TaskWorkspace, undo: UndoCommit): Promise<string> {
  const { from, tree, message, date, merged } = undo
  const tipTree = await gitText(['rev-parse', `${from}^{tree}`], { gitDir: task.repo.gitDir })
  if (tipTree === tree) return from
  const commit = await commitTree(task, { tree, parents: [from], message, date, author: engineAuthor })
  const imported = await importCommits(task, {
    ...{ from: task.engineDir, tip: commit, last: from, snapshot: await snapshotRefFor(task, commit) },
    ...(merged === undefined ? {} : { base: merged }),
  })
  if (imported.type === 'imported') return commit
  throw new FailureError({
    code: 'undo.refused',
    message: `The branch ${task.branch} cannot be put back: ${imported.reason}`,
    next: `git diff --stat ${shellWord(task.branch)} ${tree}`,
  })
}
