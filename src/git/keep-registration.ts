// What only the registration of a worktree knows of: commits on no branch, and what was staged.
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readTextIfPresent, temporaryBeside } from '../platform/files.ts'
import { commitTree, engineAuthor } from './commit.ts'
import { git, gitText } from './host-git.ts'
import { nameSnapshot, type Snapshot, type SnapshotNote } from './restore.ts'
import { headsOf, parseParents } from './leftovers.ts'
import { receive, release } from './quarantine.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** A detached HEAD, what was amended or reset away: named before the reflog goes, or git would collect it. */
export async function keepLooseCommits(task: TaskWorkspace): Promise<Snapshot[]> {
  const { gitDir } = task.repo
  const texts = ['HEAD', join('logs', 'HEAD')].map((name) => readTextIfPresent(join(task.registration, name)))
  const ids = new Set((await Promise.all(texts)).join('\n').match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g))
  const input = [...ids].map((id) => `${id}\n`).join('')
  const known = await gitText(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { gitDir, input })
  const commits = known.split('\n').flatMap((line) => /^(\S+) commit$/.exec(line)?.[1] ?? [])
  if (commits.length === 0) return []
  const named = ['--branches', '--tags', '--remotes', `--glob=refs/baton/${task.run}`]
  const list = await gitText(['rev-list', '--parents', ...commits, '--not', ...named, '--'], { gitDir })
  const snapshots: Snapshot[] = []
  for (const commit of headsOf(parseParents(list))) snapshots.push(await nameSnapshot(task, commit))
  return snapshots
}

/** Where what is staged differs from the worktree as well as from the branch, it is the only copy. */
export async function keepStaged(
  task: TaskWorkspace,
  note: SnapshotNote & { readonly parent: string; readonly besides: readonly string[] },
): Promise<Snapshot | undefined> {
  const index = join(task.registration, 'index')
  // Beside it: one that is split over two files (core.splitIndex) names the other one by its name alone.
  const copy = temporaryBeside(index)
  try {
    const there = await unlessMissing(copyFile(index, copy).then(() => true))
    if (there === undefined) return undefined
    // An index in the middle of a merge has no tree; its sides are commits, and the worktree has the rest.
    const written = await git(['write-tree'], { gitDir: task.engineDir, indexFile: copy, allowFailure: true })
    const tree = written.stdout.toString().trim()
    if (written.code !== 0 || note.besides.includes(tree)) return undefined
    const { message, date, parent } = note
    const commit = await commitTree(task, { tree, parents: [parent], message, date, author: engineAuthor })
    const received = await receive(task, { from: task.engineDir, tips: [commit], known: [parent] })
    if (received.type === 'refused') throw refused(task, received.reason)
    await release(task, received.quarantine, [commit])
    return await nameSnapshot(task, commit)
  } finally {
    await rm(copy, { force: true })
  }
}

function refused(task: TaskWorkspace, reason: string): FailureError {
  return new FailureError({
    code: 'snapshot.refused',
    message: `What is staged in ${task.worktree} cannot be kept as a snapshot: ${reason}`,
    next: `git -C ${shellWord(task.worktree)} status`,
    exitCode: exitCodes.waiting,
  })
}
