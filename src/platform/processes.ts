import { setTimeout as sleep } from 'node:timers/promises'
import type { Birth } from './birth.ts'
import { captureCommand } from './capture.ts'
import { errorCode } from './errno.ts'
import { processesMarked, processesOwnedBy } from './mark.ts'
import type { Mark } from './mark.ts'
import { bootId, currentFolderOf, processIds, processNamespace, statOf, wordsOf } from './proc.ts'
import { isWrapper } from './wrapper.ts'

const sweepRounds = 200
const sweepPauseMs = 5

/** SIGKILL for everything marked, again until nothing is left; gives the ids of all that were killed. */
export async function killMarked(mark: Mark, since?: Birth): Promise<number[]> {
  return killAll(() => processesMarked(mark, since))
}

/** The same for every mark of the owner. */
export async function killOwnedBy(owner: string): Promise<number[]> {
  return killAll(() => processesOwnedBy(owner))
}

/** For who cannot wait: the event loop stands still until nothing marked is left. */
export function killMarkedAtOnce(mark: Mark): void {
  for (let round = 0; round < sweepRounds && killRound(processesMarked(mark)).length > 0; round++)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, sweepPauseMs)
}

export interface ProcessShown {
  readonly pid: number
  readonly command: string
}

/** What the owner has running, for people; the shells around the commands are left out. */
export function showOwnedBy(owner: string): ProcessShown[] {
  return processesOwnedBy(owner).flatMap((pid) => {
    const words = wordsOf(pid)
    return words.length === 0 || isWrapper(words) ? [] : [{ pid, command: words.join(' ') }]
  })
}

async function killAll(find: () => number[]): Promise<number[]> {
  const killed = new Set<number>()
  // Bounded, because a process that hangs in the kernel cannot be killed by anybody.
  for (let round = 0; round < sweepRounds; round++) {
    const found = killRound(find())
    if (found.length === 0) break
    found.forEach((pid) => killed.add(pid))
    await sleep(sweepPauseMs)
  }
  return [...killed]
}

/** All stand still before the first one dies: nobody may see another's death and record it, or start anew. */
function killRound(found: readonly number[]): readonly number[] {
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const) found.forEach((pid) => send(pid, signal))
  return found
}

/** Processes whose current folder is this one or below it. On macOS only ourselves: asking for others takes seconds. */
export async function processesInside(folder: string): Promise<number[]> {
  const isInside = (path: string) => path === folder || path.startsWith(`${folder}/`)
  if (process.platform !== 'linux') return isInside(process.cwd()) ? [process.pid] : []
  return processIds().filter((pid) => isInside(currentFolderOf(pid)))
}

/** A zombie is not alive: it does nothing any more and only waits for its parent to look. */
export function isAlive(pid: number): boolean {
  if (process.platform === 'linux') return statOf(pid) !== undefined
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/**
 * When the process was started, in a form that is only good for comparing; undefined if it is not alive.
 * A process id together with this is never used twice, not even after a reboot.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startTimeFromPs(pid)
  const stat = statOf(pid)
  return stat === undefined ? undefined : `${view()}:${stat.startTicks}`
}

/** Whether the process whose start time this is would be seen from here if it were alive: false also if nobody can tell. */
export function isOfThisView(startTime: string): boolean {
  return process.platform === 'linux' && startTime.startsWith(`${view()}:`)
}

/** One boot of one machine, as seen from one container: what a process id means something in. */
function view(): string {
  return `${bootId()}:${processNamespace()}`
}

async function startTimeFromPs(pid: number): Promise<string | undefined> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  const { code, stdout } = await captureCommand(['ps', '-o', 'lstart=', '-p', String(pid)], { env })
  const text = stdout.toString().trim()
  return code === 0 && text !== '' ? text : undefined
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It was quicker than we were.
  }
}
