import type { Instant } from '../model/durable.ts'
import { parseDuration } from '../model/duration.ts'
import type { Phase } from '../model/supervision.ts'

/** The time of the whole run. */
export interface RunTime {
  readonly start: Instant
  readonly deadline: Instant
}

export interface PhaseEntry {
  readonly name: string
  readonly now: Instant
  /** A phase that is entered again gets its share of the time that is left. */
  readonly isFirst: boolean
}

/** When a phase has to be done: its share of the run's time, never above its cap, never later than the run. Pure. */
export function phaseDeadline(
  phases: Readonly<Record<string, Phase>>,
  run: RunTime,
  { name, now, isFirst }: PhaseEntry,
): Instant {
  const phase = phases[name]
  if (!phase) return run.deadline
  const time = isFirst ? run.deadline - run.start : Math.max(0, run.deadline - now)
  const own = now + sizeOf(phase, time)
  return Math.min(run.deadline, phase.reserve ? Math.max(own, untilLater(phases, run, { name, time })) : own)
}

/** What is left once the phases after it have got theirs (C-49: the reserve is usable by execution). */
function untilLater(
  phases: Readonly<Record<string, Phase>>,
  run: RunTime,
  { name, time }: { readonly name: string; readonly time: number },
): Instant {
  const names = Object.keys(phases)
  const later = names.slice(names.indexOf(name) + 1).flatMap((other) => phases[other] ?? [])
  return run.deadline - later.reduce((sum, phase) => sum + sizeOf(phase, time), 0)
}

function sizeOf({ share, cap }: Phase, time: number): number {
  const most = cap === undefined ? undefined : parseDuration(cap)
  return Math.floor(Math.min(time * share, most ?? Infinity))
}

/** Which phase a run is in, and until when; those that were left and are entered again begin anew. */
export interface PhaseClock {
  current: string
  readonly entered: Set<string>
  deadline: Instant | undefined
}

export function openPhases(): PhaseClock {
  return { current: '', entered: new Set(), deadline: undefined }
}
