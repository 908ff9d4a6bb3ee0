import { setTimeout as sleep } from 'node:timers/promises'
import { captureCommand } from './capture.ts'
import { errorCode } from './errno.ts'
import {
  bootId,
  currentFolderOf,
  hasBeginningInEnvironment,
  hasInEnvironment,
  processIds,
  statOf,
} from './proc.ts'

/** Inherited by everything a process starts, whatever group or session it moves to. */
export const markVariable = 'BATON_MARK'

const sweepRounds = 200
const sweepPauseMs = 5

/**
 * The processes whose environment carries the mark, ourselves left out. Always empty on macOS, which does not
 * show environments: there only the process group holds a process's children together. A process that was
 * given an empty environment on purpose is not found either; that is what the sandbox's namespace is for.
 */
export async function processesMarked(mark: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const entry = `${markVariable}=${mark}`
  return processIds().filter((pid) => pid !== process.pid && hasInEnvironment(pid, entry))
}

/** SIGKILL for everything marked, again until nothing is left; gives the ids of all that were killed. */
export async function killMarked(mark: string): Promise<number[]> {
  return killAll(() => processesMarked(mark))
}

/** The same for every mark that begins so. */
export async function killMarkedWith(beginning: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const entry = `${markVariable}=${beginning}`
  return killAll(async () =>
    processIds().filter((pid) => pid !== process.pid && hasBeginningInEnvironment(pid, entry)),
  )
}

async function killAll(find: () => Promise<number[]>): Promise<number[]> {
  const killed = new Set<number>()
  // Bounded, because a process that hangs in the kernel cannot be killed by anybody.
  for (let round = 0; round < sweepRounds; round++) {
    const found = await find()
    if (found.length === 0) break
    for (const pid of found) {
      killed.add(pid)
      killNow(pid)
    }
    await sleep(sweepPauseMs)
  }
  return [...killed]
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
  return stat === undefined ? undefined : `${bootId()}:${stat.startTicks}`
}

async function startTimeFromPs(pid: number): Promise<string | undefined> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  const { code, stdout } = await captureCommand(['ps', '-o', 'lstart=', '-p', String(pid)], { env })
  const text = stdout.toString().trim()
  return code === 0 && text !== '' ? text : undefined
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was quicker than we were.
  }
}
