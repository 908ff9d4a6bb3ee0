import { link } from 'node:fs/promises'
import { hostname } from 'node:os'
import { errorCode, unlessMissing } from './errno.ts'
import { temporaryBeside } from './files.ts'
import { isOfThisView, startTimeOf } from './processes.ts'
import { readFile, rename, rm, writeFile } from './quick-files.ts'

export interface Lock {
  readonly type: 'taken'
  release(): Promise<void>
}

export interface HeldBy {
  readonly type: 'held'
  readonly pid: number
  readonly host: string
}

interface Holder {
  readonly pid: number
  /** With the pid this names one process for ever, see `startTimeOf`. */
  readonly startedAt: string
  readonly host: string
}

/**
 * Takes the lock if nobody alive has it. Of several who find a dead holder at the same time exactly one wins:
 * only who holds the second lock, `<path>.takeover`, may replace the first, and only its living holder may
 * remove it; so what was found dead under the second lock is still the same when it is replaced.
 */
export async function takeLock(path: string): Promise<Lock | HeldBy> {
  const mine = await ourselves()
  const temporary = temporaryBeside(path)
  // Not synced: after a power cut the holder is dead, whatever the file holds.
  await writeFile(temporary, JSON.stringify(mine), { flag: 'wx', mode: 0o600 })
  try {
    const holder = await linkUnlessHeld(temporary, path)
    if (holder === undefined) return lockOn(path, mine)
    if (await isHolderAlive(holder)) return heldBy(holder)
    return await takeOver(path, temporary, mine)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Who has the lock, dead or alive; undefined if there is none. */
export async function readHolder(
  path: string,
): Promise<{ readonly pid: number; readonly host: string; readonly alive: boolean } | undefined> {
  const holder = await readLock(path)
  if (holder === undefined) return undefined
  return { pid: holder.pid, host: holder.host, alive: await isHolderAlive(holder) }
}

async function takeOver(path: string, temporary: string, mine: Holder): Promise<Lock | HeldBy> {
  const right = await takeLock(`${path}.takeover`)
  if (right.type === 'held') return right
  try {
    const holder = await linkUnlessHeld(temporary, path)
    if (holder === undefined) return lockOn(path, mine)
    if (await isHolderAlive(holder)) return heldBy(holder)
    await rename(temporary, path)
    return lockOn(path, mine)
  } finally {
    await right.release()
  }
}

/** Undefined if the lock is now ours. A link either appears with everything in it or does not appear. */
async function linkUnlessHeld(temporary: string, path: string): Promise<Holder | undefined> {
  for (;;) {
    try {
      await link(temporary, path)
      return undefined
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
    const holder = await readLock(path)
    if (holder !== undefined) return holder
    // Released between the two looks: try again.
  }
}

function lockOn(path: string, mine: Holder): Lock {
  return {
    type: 'taken',
    async release() {
      const holder = await readLock(path)
      // Somebody may have removed the file by hand, and then it is no longer ours to remove.
      if (holder !== undefined && isSame(holder, mine)) await rm(path, { force: true })
    },
  }
}

function heldBy({ pid, host }: Holder): HeldBy {
  return { type: 'held', pid, host }
}

async function ourselves(): Promise<Holder> {
  const startedAt = await startTimeOf(process.pid)
  // Without it everybody would be taken for dead, and two would hold one lock.
  if (startedAt === undefined)
    throw new Error('cannot read the start time of this process (is /proc mounted?)')
  return { pid: process.pid, startedAt, host: hostname() }
}

/**
 * A holder on another machine, over a network file system, cannot be asked and counts as alive. The name of a
 * machine may change while it runs; then its boot tells that it is still the same.
 */
async function isHolderAlive(holder: Holder): Promise<boolean> {
  if (holder.host !== hostname() && !isOfThisView(holder.startedAt)) return true
  return (await startTimeOf(holder.pid)) === holder.startedAt
}

function isSame(one: Holder, other: Holder): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt && one.host === other.host
}

async function readLock(path: string): Promise<Holder | undefined> {
  const text = await unlessMissing(readFile(path, 'utf8'))
  return text === undefined ? undefined : parseHolder(text)
}

/** No living process has written a lock that cannot be read (we link whole files), so its holder is dead. */
function parseHolder(text: string): Holder {
  const nobody: Holder = { pid: 0, startedAt: 'never', host: hostname() }
  try {
    const value: unknown = JSON.parse(text)
    return isHolder(value) ? value : nobody
  } catch {
    return nobody
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false
  if (!('pid' in value && 'startedAt' in value && 'host' in value)) return false
  return Number.isInteger(value.pid) && typeof value.startedAt === 'string' && typeof value.host === 'string'
}
