// A repository of its own for who plays a run again: it reads the objects of the user's, and writes none there.
import { join } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { copyFile, lstatIfThere, writeFile } from '../platform/quick-files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { treeOf } from './worktree-tree.ts'
import { alternateLine } from './git-dir.ts'
import { git } from './host-git.ts'
import { onWorktree } from './on-worktree.ts'
import type { Repository } from './repository.ts'
import { crossedFile } from './quarantine.ts'
import { engineDirOf } from './engine-dir.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface Borrowing {
  /** A folder that does not exist yet. */
  readonly root: string
  /** Where the run began. */
  readonly start: string
  /** Its base, by the name that the run knows it by. */
  readonly base: { readonly ref: string; readonly commit: string }
  /** What git keeps of the run, there and here. */
  readonly from: string
  readonly to: string
}

/** With the user's own git settings, without his remotes, hooks and refs. */
export async function borrowRepository(repo: Repository, borrowing: Borrowing): Promise<Repository> {
  const { root, start, base, from, to } = borrowing
  const gitDir = join(root, '.git')
  await ensureDirectory(gitDir)
  await ensureDirectory(to)
  await git(['init', '--quiet', `--object-format=${repo.objectFormat}`], { gitDir })
  const objectsDir = join(gitDir, 'objects')
  const stores = [repo.objectsDir, ...(await present(join(engineDirOf({ stateDir: from }), 'objects')))]
  await writeFile(
    join(objectsDir, 'info', 'alternates'),
    stores.map((one) => `${alternateLine(one)}\n`).join(''),
  )
  for (const name of ['shallow', 'info/exclude', 'info/attributes'])
    await unlessMissing(copyFile(join(repo.gitDir, name), join(gitDir, name)))
  // Its own commits are here before they are made again: without this list they would be somebody else's.
  await unlessMissing(copyFile(crossedFile({ stateDir: from }), crossedFile({ stateDir: to })))
  await git(['update-ref', '--no-deref', 'HEAD', start], { gitDir })
  if (base.ref !== '') await git(['update-ref', base.ref, base.commit], { gitDir })
  const { promisor: _promisor, ...settings } = repo
  return { ...settings, root, gitDir, objectsDir, head: { type: 'detached', commit: start } }
}

async function present(path: string): Promise<string[]> {
  return (await lstatIfThere(path)) === undefined ? [] : [path]
}

/** The first of these that the repository has, as an id; `<commit>^{tree}` and refs are fine too. */
export async function firstPresent(
  { gitDir }: Pick<Repository, 'gitDir'>,
  names: readonly string[],
): Promise<string | undefined> {
  for (const name of names) {
    const { code, stdout } = await git(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`],
      {
        gitDir,
        allowFailure: true,
      },
    )
    if (code === 0) return stdout.toString().trim()
  }
  return undefined
}

/** Puts the worktree into the state of a tree; ignored files stay. Nothing is kept: it is nobody's work. */
export async function showTree(task: TaskWorkspace, tree: string): Promise<void> {
  await treeOf(task)
  await gitInAgentSpace(['read-tree', '--reset', '-u', tree], onWorktree(task))
}

/** Task branch and worktree to where a step of the recorded run began. */
export async function standAt(
  task: TaskWorkspace,
  at: { readonly tip: string; readonly tree: string },
): Promise<void> {
  await git(['update-ref', `refs/heads/${task.branch}`, at.tip], { gitDir: task.repo.gitDir })
  await showTree(task, at.tree)
}

/** The branch of an agent's own git directory, as the agent would have moved it. */
export async function moveOwnBranch(task: TaskWorkspace, gitDir: string, tip: string): Promise<void> {
  await git(['update-ref', `refs/heads/${task.branch}`, tip], { gitDir })
}
