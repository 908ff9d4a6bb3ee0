// What a person has staged, put on top of another commit.
import { join } from 'node:path'
import { copyIndex } from './git-dir.ts'
import { git } from './host-git.ts'
import type { Registered } from './registration.ts'

interface Staged {
  /** His index, and the commit that it was made for. */
  readonly index: string
  readonly base: string
  readonly to: string
}

/**
 * Writes `draft`: `to`, and of the files that differ from `base` in his index just what he has staged. False where he is
 * in the middle of a merge: that cannot be carried anywhere else.
 */
export async function layOver(task: Registered, draft: string, staged: Staged): Promise<boolean> {
  const onDraft = { gitDir: task.engineDir, indexFile: draft, allowFailure: true }
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', staged.base, '--']
  const theirs = await git(args, { ...onDraft, indexFile: staged.index })
  const entries = theirs.code === 0 ? entriesOf(theirs.stdout.toString('latin1')) : undefined
  if (entries === undefined) return false
  await copyIndex(join(task.engineDir, 'index'), draft)
  // What the engine knows of the files in the worktree stays where it is still true.
  const reset = await git(['read-tree', '-i', '-m', staged.to], onDraft)
  if (reset.code !== 0) return false
  const input = Buffer.from(entries.join(''), 'latin1')
  return (await git(['update-index', '-z', '--index-info'], { ...onDraft, input })).code === 0
}

/** `:oldmode newmode oldid newid letter` and a path, to what `update-index` reads; undefined if one is not merged. */
function entriesOf(raw: string): string[] | undefined {
  const fields = raw.split('\0')
  const entries: string[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, , id, letter] = (fields[at] ?? '').split(' ')
    if (letter === 'U') return undefined
    entries.push(`${mode} ${id}\t${fields[at + 1]}\0`)
  }
  return entries
}
