// What is staged in the private git directory of a process that was killed: until somebody resumes the run, that is
// what a person's git works with in the worktree.
import { join } from 'node:path'
import { gitInAgentSpace } from './agent-space.ts'
import { commitTree, engineAuthor } from './commit.ts'
import type { GitOptions } from './host-git.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** The only copy of something gets a name there: then it goes the way of the commits that nobody has handed in. */
export async function nameStaged(task: TaskWorkspace, path: string): Promise<void> {
  const [index, worktree] = await Promise.all([join(path, 'index'), task.worktree].map(lstatIfThere))
  if (!index || !worktree || !(await isOnlyCopy(task, path))) return
  const [tree, head] = [await ask(path, ['write-tree']), await ask(path, ['rev-parse', '--verify', 'HEAD'])]
  if (tree === undefined || head === undefined) return
  const content = { tree, parents: [head], message: 'Staged in the worktree\n', author: engineAuthor }
  const date = index.mtime.toISOString()
  const commit = await commitTree({ ...task, engineDir: path }, { ...content, date })
  await gitInAgentSpace(['update-ref', 'refs/baton/staged', commit], { gitDir: path })
}

/** Other than in the last commit, and other than in the worktree. */
async function isOnlyCopy({ worktree }: TaskWorkspace, path: string): Promise<boolean> {
  const how = ['--name-only', '-z', '--no-renames', '--ignore-submodules=all']
  const staged = await ask(path, ['diff-index', '--cached', '--ita-invisible-in-index', ...how, 'HEAD', '--'])
  const changed = await ask(path, ['diff-files', ...how, '--'], { workTree: worktree })
  if (!staged || !changed) return false
  const names = new Set(changed.split('\0'))
  return staged.split('\0').some((name) => name !== '' && names.has(name))
}

/** Undefined where git cannot tell: it is an agent's directory, and anything may be in it. */
async function ask(
  gitDir: string,
  args: readonly string[],
  options: Pick<GitOptions, 'workTree'> = {},
): Promise<string | undefined> {
  const { code, stdout } = await gitInAgentSpace(args, { gitDir, ...options, allowFailure: true })
  return code === 0 ? stdout.toString('latin1').trim() : undefined
}
