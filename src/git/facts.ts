import { git, succeeded, type GitOptions } from './host-git.ts'
import type { Repository } from './repository.ts'
import type { TaskWorkspace } from './task-workspace.ts'

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
  if (result.code > 1) succeeded(args, result)
  return result.code === 0
}
