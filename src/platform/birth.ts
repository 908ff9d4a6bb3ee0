/**
 * Which processes can be younger than one of ours, told from their numbers alone. A sweep looks for what an agent has
 * left behind, after every agent; to read what each process of a machine was started with would take longer than
 * most of the git commands around it.
 */
import { procText, startTicksOf } from './proc.ts'

export interface Birth {
  readonly pid: number
  /** In ticks since the machine was started; zero if nobody can tell: then everything is younger. */
  readonly ticks: number
  /** How many processes and threads the machine had started by then, ever. */
  readonly forks: number
}

export function birthOf(pid: number): Birth {
  return { pid, ticks: startTicksOf(pid), forks: forksSoFar() }
}

/** To be asked for after the numbers were listed: who was listed is then no younger than the youngest known here. */
export function canBeYounger(birth: Birth): (pid: number) => boolean {
  return isYoungerNumber(birth, { forks: forksSoFar(), youngest: youngestPid(), limit: pidLimit() })
}

export interface Numbers {
  readonly forks: number
  readonly youngest: number
  readonly limit: number
}

/** Pure. Numbers are given out in turn and begin anew at a limit: until that comes round, the younger one has the next. */
export function isYoungerNumber(birth: Birth, { forks, youngest, limit }: Numbers): (pid: number) => boolean {
  // Not a number where one of them could not be read: then everybody has to be looked at.
  const isOneRound = forks - birth.forks < limit / 2
  if (!isOneRound || !(youngest > 0)) return () => true
  return youngest >= birth.pid
    ? (pid) => pid > birth.pid && pid <= youngest
    : (pid) => pid > birth.pid || pid <= youngest
}

function forksSoFar(): number {
  return Number(/^processes (\d+)$/m.exec(procText('/proc/stat'))?.[1])
}

function youngestPid(): number {
  return Number(procText('/proc/loadavg').trim().split(' ')[4])
}

function pidLimit(): number {
  return Number(procText('/proc/sys/kernel/pid_max').trim() || Number.NaN)
}
