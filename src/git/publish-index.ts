// The index that a person sees who looks into the task's worktree: the engine's, with what he has staged.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Captured } from '../platform/capture.ts'
import { readTextIfPresent, replaceFile, syncFile, temporaryBeside } from '../platform/files.ts'
import { rm } from '../platform/quick-files.ts'
import { flaggedFiles } from './flagged.ts'
import { copyIndex } from './git-dir.ts'
import { git } from './host-git.ts'
import { putIndexInPlace, type Placing } from './index-lock.ts'
import { layOver } from './lay-over.ts'
import { overwrite } from './overwrite.ts'
import type { Registered } from './registration.ts'

export interface Move {
  /** Where the branch was. Undefined if whatever stands in the index is to be replaced. */
  readonly from?: string | undefined
  readonly to: string
}

export interface ReadyIndex {
  publish(): Promise<void>
  /** Instead. */
  drop(): Promise<void>
}

/** Gives the engine's index to the registration, so that `git status` in the worktree shows a person what is true. */
export async function publishIndex(task: Registered, move: Move): Promise<void> {
  await (await readyIndex(task, move)).publish()
}

/** For a registration that has lost its index: without one, a person's next commit would remove every file. */
export async function restoreIndex(task: Registered, tip: string): Promise<void> {
  const target = indexOf(task)
  const draft = temporaryBeside(target)
  await copyCommit(task, tip, draft)
  const end = await putIndexInPlace(draft, target, { mayReplace: () => signature(target) === undefined })
  if (end === 'done') await note(task, { tip })
}

/**
 * As `publishIndex` in two parts: what takes its time can be done while git is at work, and the rest when that has succeeded.
 * What a person has staged is brought along, and looked at again if he writes meanwhile, at most `looks` times.
 */
export async function readyIndex(task: Registered, move: Move, looks = 3): Promise<ReadyIndex> {
  const target = indexOf(task)
  const before = signature(target)
  const draft = temporaryBeside(target)
  const drop = (): Promise<void> => rm(draft, { force: true })
  const base = await baseOfStagedWork(task, move)
  if (base === move.to) return { drop, publish: () => note(task, { tip: base }) }
  const isReady = await (base === undefined
    ? copyEngines(task, draft)
    : bringAlong(task, [base, move.to], draft))
  if (!isReady) return { drop, publish: drop }
  return {
    drop,
    async publish() {
      const mayReplace = (): boolean => move.from === undefined || isSame(signature(target), before)
      // Not of what stands there afterwards: by then it may be a person's.
      const ours = signature(draft)
      const end = await putIndexInPlace(draft, target, { mayReplace })
      if (end === 'refused' && looks > 1) return (await readyIndex(task, move, looks - 1)).publish()
      if (end === 'held') heldBack.set(task.engineDir, { task, tip: move.to })
      if (end === 'done') await note(task, { tip: move.to, ...(base === undefined && ours) })
    },
  }
}

interface HeldBack {
  readonly task: Registered
  readonly tip: string
}

/** By the engine's directory: what this process could not publish because git held the index. */
const heldBack = new Map<string, HeldBack>()

/** At the end, once more: the index of a run whose `stateDir` it is. Undefined if it is as it should be. */
export async function lastAttempt(stateDir: string): Promise<HeldBack | undefined> {
  const one = [...heldBack.values()].find(({ task }) => task.stateDir === stateDir)
  return one === undefined || (await catchUp(one.task, one.tip)) ? undefined : one
}

/** Brings an index to the engine's own tip that was not published when the branch moved there. False if git holds it. */
export async function catchUp(task: Registered, tip: string): Promise<boolean> {
  const { tip: earlier = tip } = await lastPublished(task)
  return earlier === tip || (await putForward(task, { earlier, tip })) !== 'held'
}

async function putForward(task: Registered, { earlier, tip }: Advance): Promise<Placing> {
  const target = indexOf(task)
  const before = signature(target)
  const base = (await differs(task, tip)) === 0 ? tip : await earlierBase(task, { earlier, tip })
  if (base === tip) {
    await note(task, { tip })
    return 'done'
  }
  const draft = temporaryBeside(target)
  if (base === undefined) await copyCommit(task, tip, draft)
  else if (!(await bringAlong(task, [base, tip], draft))) {
    await rm(draft, { force: true })
    return 'refused'
  }
  const end = await putIndexInPlace(draft, target, { mayReplace: () => isSame(signature(target), before) })
  if (end === 'done') await note(task, { tip })
  return end
}

/** Just the commit: what else the engine has seen in the worktree is in no repository of a person yet. */
async function copyCommit({ engineDir }: Registered, tip: string, draft: string): Promise<void> {
  await copyIndex(join(engineDir, 'index'), draft)
  await git(['read-tree', '-i', '-m', tip], { gitDir: engineDir, indexFile: draft })
}

async function copyEngines({ engineDir }: Registered, draft: string): Promise<true> {
  await copyIndex(join(engineDir, 'index'), draft)
  // In the background: to put a file in another's place that is not on the disk yet makes ext4 wait for it.
  await syncFile(draft)
  return true
}

/**
 * His index stays, with what the steps have changed in it: against the branch's new tip the old one would take that
 * back, and his next commit with it. Of a file that a step has changed as well, both are staged; where they contradict
 * each other, his is, and the step's is in the commit before. False, and left alone, while he rebases.
 */
async function bringAlong(
  task: Registered,
  [base, to]: readonly [string, string],
  draft: string,
): Promise<boolean> {
  const index = indexOf(task)
  await copyIndex(index, draft)
  const args = ['read-tree', '-i', '-m', base, to]
  const { code } = await git(args, { gitDir: task.engineDir, indexFile: draft, allowFailure: true })
  return code === 0 || layOver(task, draft, { index, base, to })
}

/** Nobody has written it since. False as well if a person's work was brought along in it. */
export async function isAsPublished(task: Registered): Promise<boolean> {
  return isSame(signature(indexOf(task)), await lastPublished(task))
}

/** The commit against which a person has staged something; undefined if there is nothing that he could lose. */
async function baseOfStagedWork(task: Registered, { from: tip, to }: Move): Promise<string | undefined> {
  const found = signature(indexOf(task))
  if (found === undefined || tip === undefined) return undefined
  const published = await lastPublished(task)
  if (isSame(found, published)) return undefined
  // Somebody has written it since; a mere `git status` does so too.
  if ((await differs(task, tip)) === 0)
    return tip === to || (await flaggedFiles(task)).size > 0 ? tip : undefined
  const { tip: earlier = tip } = published
  // After a person's own commit, where the branch does not move, his index is for that one.
  return earlier === tip || tip === to ? tip : earlierBase(task, { earlier, tip })
}

interface Advance {
  readonly earlier: string
  readonly tip: string
}

/**
 * An index that could not be published, because git held it, is still for a commit before; unless a person has put it
 * right since (`git reset`). It is for the one from which it differs in fewer files.
 */
async function earlierBase(task: Registered, { earlier, tip }: Advance): Promise<string | undefined> {
  const [before, now] = await Promise.all([countStaged(task, earlier), countStaged(task, tip)])
  if (before === 0) return undefined
  return before <= now ? earlier : tip
}

/** Infinite if git cannot tell: the commit is gone, say. */
async function countStaged(task: Registered, commit: string): Promise<number> {
  const { code, stdout } = await diffStaged(task, ['--name-only', '-z', '--no-renames', commit])
  return code === 0 ? stdout.toString('latin1').split('\0').length - 1 : Infinity
}

/** 0 if nothing is staged against the commit, 1 if something is. */
async function differs(task: Registered, commit: string): Promise<number> {
  return (await diffStaged(task, ['--quiet', commit])).code
}

function diffStaged(task: Registered, args: readonly string[]): Promise<Captured> {
  const how = ['--cached', '--ita-invisible-in-index', '--ignore-submodules=dirty']
  const options = { gitDir: task.engineDir, indexFile: indexOf(task), allowFailure: true }
  return git(['diff-index', ...how, ...args, '--'], options)
}

interface Signature {
  readonly mtimeMs: number
  readonly size: number
}

function signature(path: string): Signature | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { mtimeMs: found.mtimeMs, size: found.size }
}

function isSame(one: Partial<Signature> | undefined, other: Partial<Signature> | undefined): boolean {
  return one?.mtimeMs === other?.mtimeMs && one?.size === other?.size
}

/** Without a signature if a person's work was in it: that is looked at each time. */
interface Published extends Partial<Signature> {
  readonly tip?: string
}

async function lastPublished(task: Registered): Promise<Published> {
  const text = await readTextIfPresent(noteFile(task))
  try {
    return (JSON.parse(text ?? '{}') as Published | null) ?? {}
  } catch {
    // After a power cut there may be anything in it: then it says nothing.
    return {}
  }
}

async function note(task: Registered, published: Published): Promise<void> {
  heldBack.delete(task.engineDir)
  const text = JSON.stringify(published)
  if (!overwrite(noteFile(task), text)) await replaceFile(noteFile(task), text)
}

function noteFile({ stateDir }: Registered): string {
  return join(stateDir, 'published-index.json')
}

function indexOf({ registration }: Registered): string {
  return join(registration, 'index')
}
