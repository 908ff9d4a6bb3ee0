// What a person has staged, put on top of another commit.
import { join } from 'node:path'
import { readTextIfPresent } from '../platform/files.ts'
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
 * in the same file elsewhere. Where the two contradict each other it is just his. False where git cannot tell, and where
 * he is in the middle of a merge of something else.
 */
export async function layOver(task: Registered, draft: string, staged: Staged): Promise<boolean> {
  const { index, base, to } = staged
  // What is only intended to be added has no content yet: as an entry of its own it would be an empty file.
  const theirs = await changes(task, ['diff-index', '--cached', '--ita-invisible-in-index', base], index)
  const steps = await changes(task, ['diff-tree', '-r', base, to], draft)
  if (theirs === undefined || steps === undefined) return false
  if ([...theirs.values()].some(({ isUnmerged }) => isUnmerged))
    return layUnder(task, draft, { index, theirs, steps })
  const onDraft = { gitDir: task.engineDir, indexFile: draft, allowFailure: true }
  await copyIndex(join(task.engineDir, 'index'), draft)
  // What the engine knows of the files in the worktree stays where it is still true.
  const reset = await git(['read-tree', '-i', '-m', to], onDraft)
  if (reset.code !== 0) return false
  const entries: string[] = []
  for (const [path, his] of theirs) entries.push(entryOf(path, await both(task, his, steps.get(path))))
  return putEntries(task, draft, entries)
}

interface Merging {
  readonly index: string
  readonly theirs: ReadonlyMap<string, Change>
  readonly steps: ReadonlyMap<string, Change>
}

/**
 * The other way round, while he merges: conflicts can stand nowhere but in his own index. Without what the steps have
 * changed in other files, the commit that ends his merge would take it back, and git could not break the merge off.
 */
async function layUnder(
  task: Registered,
  draft: string,
  { index, theirs, steps }: Merging,
): Promise<boolean> {
  const head = await readTextIfPresent(join(task.registration, 'HEAD'))
  // A rebase has no branch checked out: what he commits in it is no commit to this one.
  if (head?.trim() !== `ref: refs/heads/${task.branch}`) return false
  await copyIndex(index, draft)
  const entries: string[] = []
  for (const [path, step] of steps) {
    const his = theirs.get(path)
    if (his?.isUnmerged === true) continue
    entries.push(entryOf(path, his === undefined ? step : await both(task, his, step)))
  }
  return putEntries(task, draft, entries)
}

function entryOf(path: string, { mode, id }: Version): string {
  return `${mode} ${id}\t${path}\0`
}

async function putEntries(task: Registered, draft: string, entries: readonly string[]): Promise<boolean> {
  const input = Buffer.from(entries.join(''), 'latin1')
  const onDraft = { gitDir: task.engineDir, indexFile: draft, allowFailure: true }
  return (await git(['update-index', '-z', '--index-info'], { ...onDraft, input })).code === 0
}

interface Version {
  readonly mode: string
  readonly id: string
}

interface Change extends Version {
  readonly before: Version
  readonly isUnmerged: boolean
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

/** By path; undefined if git cannot tell. */
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
function changesOf(raw: string): Map<string, Change> {
  const fields = raw.split('\0')
  const found = new Map<string, Change>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [old = '', mode = '', oldId = '', id = '', letter] = (fields[at] ?? '').slice(1).split(' ')
    const isUnmerged = letter === 'U'
    found.set(fields[at + 1] ?? '', { before: { mode: old, id: oldId }, mode, id, isUnmerged })
  }
  return found
}
