import { setTimeout as sleep } from 'node:timers/promises'
import { processIds, statOf } from './proc.ts'

const pollMs = 10

/** False if nobody is left in the group, or nobody there is ours to signal (macOS says so of a dead group). */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch {
    return false
  }
}

/**
 * The signal that it takes as a request, then SIGKILL for whoever is left after the grace time. It is the group that is waited for, not its
 * leader: a shell dies of SIGTERM at once while its command is still putting its things away.
 */
export async function terminateGroup(
  leader: number,
  graceMs: number,
  signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM',
): Promise<void> {
  if (!signalGroup(leader, signal)) return
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    await sleep(pollMs)
    if (!isGroupAlive(leader)) return
  }
  signalGroup(leader, 'SIGKILL')
}

/** Zombies do not count: some init processes take seconds to collect the orphans they are given. */
function isGroupAlive(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false
  if (process.platform !== 'linux') return true
  return processIds().some((pid) => statOf(pid)?.group === leader)
}
