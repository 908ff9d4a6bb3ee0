import { createHash } from 'node:crypto'
import { canBeYounger } from './birth.ts'
import type { Birth } from './birth.ts'
import { environmentHas, environmentHasBeginning, lockLimitOf, processIds, statOf } from './proc.ts'

/** Says whose a process is, and so are all that it starts, whatever group, session or folder they move to. */
export interface Mark {
  /** For all that can be ended together, such as a run's folder. */
  readonly owner: string
  /** For one of its parts, such as a call of an agent. */
  readonly name: string
}

export const markVariable = 'BATON_MARK'

export function markText({ owner, name }: Mark): string {
  return `${owner}:${name}`
}

/**
 * The mark a second time, for programs that throw their environment away (`env -i setsid ...`): a soft limit on file
 * locks. Linux has not looked at that limit since 2.4, but every child inherits it and everybody may read it. What
 * sets its own limits on purpose is not found, nor is what another service has started on request; keeping those in
 * takes a process namespace.
 */
export function lockLimitFor({ owner, name }: Mark): string {
  return String(farOff | (thirtyOneBits(owner) << 31n) | thirtyOneBits(name))
}

/** Far above what anybody would choose, so that it cannot be taken for a limit that was meant. */
const farOff = 1n << 62n

function thirtyOneBits(text: string): bigint {
  return BigInt(createHash('sha256').update(text).digest().readUInt32BE() >>> 1)
}

/**
 * Ourselves left out. Always empty on macOS, which shows neither environments nor limits. Who knows the process that
 * was marked first tells since when there can be others: whoever is older need not be looked at closely.
 */
export function processesMarked(mark: Mark, since?: Birth): number[] {
  const entry = `${markVariable}=${markText(mark)}`
  const limit = lockLimitFor(mark)
  return others((pid) => environmentHas(pid, entry) || lockLimitOf(pid) === limit, since)
}

/** All that carry a mark of this owner. */
export function processesOwnedBy(owner: string): number[] {
  const beginning = `${markVariable}=${owner}:`
  const ours = (farOff >> 31n) | thirtyOneBits(owner)
  return others((pid) => environmentHasBeginning(pid, beginning) || ownerIn(lockLimitOf(pid)) === ours)
}

function ownerIn(limit: string | undefined): bigint | undefined {
  return limit === undefined || !/^\d+$/.test(limit) ? undefined : BigInt(limit) >> 31n
}

function others(isMeant: (pid: number) => boolean, since?: Birth): number[] {
  if (process.platform !== 'linux') return []
  const all = processIds().filter((pid) => pid !== process.pid)
  return (since ? all.filter(canBeYounger(since)) : all).filter((pid) => {
    // A zombie still shows its limits.
    const stat = statOf(pid)
    return stat !== undefined && Number(stat.startTicks) >= (since?.ticks ?? 0) && isMeant(pid)
  })
}
