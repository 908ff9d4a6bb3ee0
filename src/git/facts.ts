import { FailureError } from '../model/failure.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { firstComplaint, git, gitText, succeeded, type GitOptions } from './host-git.ts'
import type { Repository } from './repository.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** The worktree as it is, ignored files aside, as a tree in the engine's git directory. No agent's index is asked. */
export async function treeOf(task: TaskWorkspace): Promise<string> {
  await addAll(task)
  const { stdout } = await gitInAgentSpace(['write-tree'], onWorktree(task))
  return stdout.toString().trim()
}

/** As `treeOf`, where what the commit tracks stays tracked: also files that were added although they are ignored. */
export async function treeUpon(task: TaskWorkspace, commit: string): Promise<string> {
  await gitInAgentSpace(['read-tree', '--reset', commit], onWorktree(task))
  return treeOf(task)
}

export function onWorktree(task: TaskWorkspace): GitOptions {
  return { gitDir: task.engineDir, workTree: task.worktree }
}

/**
 * Nested repositories are never entered: a plain `git status` in one runs whatever its configuration says. Git
 * cannot start a program here, so that `add -A` fails where it wanted to enter one, and they are left out.
 */
async function addAll(task: TaskWorkspace): Promise<void> {
  const args = ['add', '-A']
  const result = await gitInAgentSpace(args, { ...onWorktree(task), allowFailure: true })
  const metNested = /adding embedded git repository|in submodule|not have a commit checked out/.test(
    result.stderr,
  )
  if (!metNested) {
    succeeded(args, result)
    return
  }
  const nested = await nestedRepositories(task)
  if (nested.length === 0) {
    succeeded(args, result)
    return
  }
  const tip = await gitText(['rev-parse', `refs/heads/${task.branch}`], { gitDir: task.repo.gitDir })
  // What `add -A` has just recorded of them goes out again; what the task's own history has stays as it was.
  await gitInAgentSpace(['reset', '-q', '--no-refresh', ...fromInput, tip], {
    ...onWorktree(task),
    input: nested.map((path) => `:(literal)${path}`).join('\0'),
  })
  await gitInAgentSpace(['add', '-A', ...fromInput], {
    ...onWorktree(task),
    input: ['.', ...nested.map((path) => `:(exclude,literal)${path}`)].join('\0'),
  })
}

const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul']

async function nestedRepositories(task: TaskWorkspace): Promise<string[]> {
  const { stdout } = await gitInAgentSpace(
    ['ls-files', '-t', '-s', '-o', '-z', '--exclude-standard'],
    onWorktree(task),
  )
  return stdout
    .toString()
    .split('\0')
    .flatMap((line) => {
      if (line.startsWith('? ')) return line.endsWith('/') ? [line.slice(2, -1)] : []
      const [entry = '', path] = line.split('\t')
      return entry.includes(' 160000 ') && path !== undefined ? [path] : []
    })
}

export interface ChangedPath {
  /** Relative to the worktree's top. Bytes that are no UTF-8 stand as \xNN. */
  readonly path: string
  readonly change: 'added' | 'modified' | 'deleted' | 'type'
  readonly mode: string
  /** Of the new content; zeros if deleted. */
  readonly object: string
}

export async function changedPaths(task: TaskWorkspace, from: string, to: string): Promise<ChangedPath[]> {
  return diffTrees({ gitDir: task.engineDir }, from, to)
}

export async function diffTrees(options: GitOptions, from: string, to: string): Promise<ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=dirty']
  const { stdout } = await git([...args, from, to, '--'], options)
  const fields = splitAtNul(stdout)
  const changes: ChangedPath[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode = '', , object = '', status = ''] = (fields[index] ?? '').split(' ')
    changes.push({ path: fields[index + 1] ?? '', change: changeOf(status), mode, object })
  }
  return changes
}

function changeOf(status: string): ChangedPath['change'] {
  if (status === 'A') return 'added'
  if (status === 'D') return 'deleted'
  return status === 'T' ? 'type' : 'modified'
}

export function splitAtNul(bytes: Buffer): string[] {
  const fields: string[] = []
  let start = 0
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
    fields.push(readable(bytes.subarray(start, end)))
    start = end + 1
  }
  return fields
}

function readable(bytes: Buffer): string {
  const text = bytes.toString()
  if (!text.includes('\uFFFD')) return text
  return bytes
    .toString('latin1')
    .replaceAll(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
}

/** Read from the main repository, never from an agent's. */
export async function readBlob(repo: Repository, treeish: string, path: string): Promise<string | undefined> {
  const input = `${treeish}:${path}\0`
  const { stdout } = await git(['cat-file', '--batch', '-z'], { gitDir: repo.gitDir, input })
  const end = stdout.indexOf('\n')
  const [, type, size] = stdout.subarray(0, end).toString().split(' ')
  if (type !== 'blob' || !/^\d+$/.test(size ?? '')) return undefined
  return stdout.subarray(end + 1, end + 1 + Number(size)).toString()
}

export async function isAncestor(repo: Repository, ancestor: string, descendant: string): Promise<boolean> {
  return isAncestorIn({ gitDir: repo.gitDir }, ancestor, descendant)
}

export async function isAncestorIn(
  options: GitOptions,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, descendant]
  const result = await git(args, { ...options, allowFailure: true })
  if (result.code <= 1) return result.code === 0
  throw new FailureError({
    code: 'git.failed',
    message: `git ${args.join(' ')} failed: ${firstComplaint(result)}`,
    next: 'git fsck',
  })
}
