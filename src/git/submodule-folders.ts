import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../platform/errno.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { onWorktree } from './on-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * A submodule that is not checked out is an empty folder, and git does not look at what is written there. Such files
 * are made to count: the index gives up the link, so that they are seen in its place.
 */
export async function uncoverSubmodules(task: TaskWorkspace): Promise<void> {
  if (!mayHaveLinks(task)) return
  const { stdout } = await gitInAgentSpace(['ls-files', '-s', '-z'], onWorktree(task))
  const entries = stdout.toString('latin1').split('\0')
  const links = entries
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
  const covered: string[] = []
  for (const path of links) if (await holdsStrayFiles(task, path)) covered.push(path)
  if (covered.length === 0) return
  await gitInAgentSpace(['update-index', '--force-remove', '-z', '--stdin'], {
    ...onWorktree(task),
    input: Buffer.from(covered.map((path) => `${path}\0`).join(''), 'latin1'),
  })
}

/** 160000 in octal, as the entries of an index have it. */
const modeOfLinks = Buffer.from([0, 0, 0xe0, 0])

/**
 * Asked of the index, without git: a link need not stand in a .gitmodules, and an agent can remove that. Elsewhere in
 * the index the same bytes are rare, and only cost a look at its entries.
 */
export function mayHaveLinks({ engineDir }: TaskWorkspace): boolean {
  const index = join(engineDir, 'index')
  return existsSync(index) && readFileSync(index).includes(modeOfLinks)
}

async function holdsStrayFiles({ worktree }: TaskWorkspace, path: string): Promise<boolean> {
  try {
    const names = await readdir(Buffer.concat([Buffer.from(`${worktree}/`), Buffer.from(path, 'latin1')]))
    return names.length > 0 && !names.includes('.git')
  } catch (error) {
    // Gone, or something else than a folder: git sees that by itself.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false
    throw error
  }
}
