// What a person has staged, put on top of another commit.
import { join } from 'node:path'
import { copyIndex } from './git-dir.ts'
import { git } from './host-git.ts'
import { mergeContent } from './merge-content.ts'
import type { Registered } from './registration.ts'

interface Staged {
  /** His index, and the commit that it was made for. */
  readonly index: string
  readonly base: string
  readonly to: string
}

/**
 * Writes `draft`: `to`, and of the files that differ from `base` in his index what he has staged, with what has changed
 * in the same file elsewhere. Where the two contradict each other it is just his. False where he is in the middle of a
 * merge: that cannot be carried anywhere else.
 */
export async function layOver(task: Registered, draft: string, staged: Staged): Promise<boolean> {
  const { index, base, to } = staged
  // What is only intended to be added has no content yet: as an entry of its own it would be an empty file.
  const theirs = await changes(task, ['diff-index', '--cached', '--ita-invisible-in-index', base], index)
  const steps = await changes(task, ['diff-tree', '-r', base, to], draft)
  if (theirs === undefined || steps === undefined) return false
  const onDraft = { gitDir: task.engineDir, indexFile: draft, allowFailure: true }
  await copyIndex(join(task.engineDir, 'index'), draft)
  // What the engine knows of the files in the worktree stays where it is still true.
  const reset = await git(['read-tree', '-i', '-m', to], onDraft)
  if (reset.code !== 0) return false
  const entries: string[] = []
  for (const [path, his] of theirs) {
    const { mode, id } = await both(task, his, steps.get(path))
    entries.push(`${mode} ${id}\t${path}\0`)
  }
  const input = Buffer.from(entries.join(''), 'latin1')
  return (await git(['update-index', '-z', '--index-info'], { ...onDraft, input })).code === 0
}

interface Version {
  readonly mode: string
  readonly id: string
}

interface Change extends Version {
  readonly before: Version
}

async function both(task: Registered, his: Change, step: Change | undefined): Promise<Version> {
  if (step === undefined || ![his.before, his, step].every(isFile)) return his
  const { before } = his
  const mode = his.mode === before.mode ? step.mode : his.mode
  if (his.id === before.id) return { mode, id: step.id }
  if (step.id === before.id || step.id === his.id) return { mode, id: his.id }
  const merged = await mergeContent(task, { ours: his.id, base: before.id, theirs: step.id })
  return merged === undefined ? his : { mode, id: merged }
}

function isFile({ mode }: Version): boolean {
  return mode.startsWith('100')
}

/** By path; undefined if git cannot tell, or if one is not merged. */
async function changes(
  task: Registered,
  [command = '', ...args]: readonly string[],
  indexFile: string,
): Promise<Map<string, Change> | undefined> {
  const how = ['--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=dirty']
  const options = { gitDir: task.engineDir, indexFile, allowFailure: true }
  const { code, stdout } = await git([command, ...how, ...args, '--'], options)
  return code === 0 ? changesOf(stdout.toString('latin1')) : undefined
}

/** From `:oldmode newmode oldid newid letter` and a path. */
function changesOf(raw: string): Map<string, Change> | undefined {
  const fields = raw.split('\0')
  const found = new Map<string, Change>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [old = '', mode = '', oldId = '', id = '', letter] = (fields[at] ?? '').slice(1).split(' ')
    if (letter === 'U') return undefined
    found.set(fields[at + 1] ?? '', { before: { mode: old, id: oldId }, mode, id })
  }
  return found
}
