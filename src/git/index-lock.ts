// Git's own lock around an index, which a person's commands in the worktree take as well.
import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { discardedEnding } from '../platform/discard.ts'
import { systemClock } from '../platform/clock.ts'
import { errorCode, unlessMissing } from '../platform/errno.ts'
import { readdir, rm } from '../platform/quick-files.ts'

/** A command that adds files takes moments. One with an editor open, or one that was killed, is not waited for. */
const patienceMs = 10_000
const pauseMs = 20

export type Placing = 'done' | 'refused' | 'held'

interface Terms {
  /** Asked while nobody else can write the index. */
  readonly mayReplace: () => boolean
  readonly link?: (path: string, name: string) => void
}

/**
 * Puts `draft`, a file beside it, in the place of the index as git does: without the lock, what somebody stages in that
 * moment would be lost. The draft is gone afterwards in any case.
 */
export async function putIndexInPlace(draft: string, index: string, terms: Terms): Promise<Placing> {
  const { mayReplace, link = linkSync } = terms
  const lock = lockOf(index)
  try {
    while (!take(lock, draft, link)) {
      if (!isFresh(lock)) return 'held'
      await systemClock.sleep(pauseMs)
    }
    // From here on at once, without a turn for anybody else: git does not wait for this lock, it gives up.
    try {
      if (!mayReplace()) return 'refused'
      renameSync(draft, index)
      return 'done'
    } finally {
      unlinkSync(lock)
    }
  } finally {
    await rm(draft, { force: true })
  }
}

/** The lock is another name of the draft, so that one whose owner was killed is known by it. */
function take(lock: string, draft: string, link: (path: string, name: string) => void): boolean {
  try {
    link(draft, lock)
    return true
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? false : takeEmpty(lock)
  }
}

/** For file systems on which a file has one name. */
function takeEmpty(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx'))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function isFresh(lock: string): boolean {
  const found = lstatSync(lock, { throwIfNoEntry: false })
  // Gone since: the next attempt will tell.
  return found === undefined || Math.abs(systemClock.now().getTime() - found.mtimeMs) < patienceMs
}

/** What an engine that was killed has left of this. A lock that somebody else holds, or has left, stays. */
export async function removeLeftIndexes(index: string): Promise<void> {
  const folder = dirname(index)
  const names = (await unlessMissing(readdir(folder))) ?? []
  const drafts = names.filter((name) => name.startsWith('index.') && name.endsWith(discardedEnding))
  const ours = [index, ...drafts.map((name) => join(folder, name))].map(inode)
  const lock = inode(lockOf(index))
  if (lock !== undefined && ours.includes(lock)) unlinkSync(lockOf(index))
  for (const name of drafts) await rm(join(folder, name), { force: true })
}

function inode(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino
}

function lockOf(index: string): string {
  return `${index}.lock`
}
