import { requestCancel, takeCancel } from '../journal/inbox.ts'
import { readState } from '../journal/read-state.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { isOver } from '../model/run-state.ts'
import { readHolder } from '../platform/lock.ts'
import { killOwnedBy, showOwnedBy } from '../platform/processes.ts'
import type { ProcessShown } from '../platform/processes.ts'

const pollMs = 100

export interface Stopping {
  /** Ends a run that nobody runs. */
  readonly record: () => Promise<unknown>
  readonly patienceMs: number
}

/** Gives what was running, and only once none of it is alive. */
export async function stop(folder: RunFolder, { record, patienceMs }: Stopping): Promise<ProcessShown[]> {
  const seen = new Map<number, ProcessShown>()
  const look = (): void => showOwnedBy(folder.dir).forEach((one) => seen.set(one.pid, one))
  look()
  await requestCancel(folder.inbox)
  for (let round = 1; ; round++) {
    const holder = await readHolder(folder.lock)
    if (holder?.alive === true && !(await released(folder.lock, { pid: holder.pid, look, patienceMs })))
      throw notHeard(folder.id, { pid: holder.pid, patienceMs })
    // It may have been on its way to a question or to its end, and have left before it heard.
    if (isOver(await readState(folder)) || (await isRecorded(record, round))) break
  }
  await killOwnedBy(folder.dir)
  // Of one that ended before it heard: whoever takes the run up again, after an undo, is not meant.
  await takeCancel(folder.inbox)
  return [...seen.values()]
}

const mostRounds = 20

/** False if somebody else has taken the run up since, who will hear, or has ended it. */
async function isRecorded(record: () => Promise<unknown>, round: number): Promise<boolean> {
  try {
    await record()
    return true
  } catch (error) {
    const wasFirst = error instanceof FailureError && ['run.running', 'run.finished'].includes(error.code)
    if (!wasFirst || round === mostRounds) throw error
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    return false
  }
}

async function released(
  lock: string,
  { pid, look, patienceMs }: { readonly pid: number; readonly look: () => void; readonly patienceMs: number },
): Promise<boolean> {
  for (const end = performance.now() + patienceMs; performance.now() < end;) {
    const holder = await readHolder(lock)
    if (holder?.alive !== true || holder.pid !== pid) return true
    look()
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return false
}

function notHeard(
  run: string,
  { pid, patienceMs }: { readonly pid: number; readonly patienceMs: number },
): FailureError {
  return new FailureError({
    code: 'cancel.not_heard',
    message: `Run ${run} was told to stop, but process ${pid} has not ended within ${patienceMs / 1000} seconds.`,
    next: `kill -9 ${pid}; baton cancel ${run}`,
    exitCode: exitCodes.failed,
  })
}
