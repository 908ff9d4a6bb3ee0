import type { JournalLine } from './event.ts'

/** How long a run stood still between its processes, as far as its lines were read. */
export interface Pauses {
  readonly ms: number
  /** When the last of them was written. */
  readonly last?: string
}

/** One line more. */
export function addPause(before: Pauses, { type, ts }: Pick<JournalLine, 'type' | 'ts'>): Pauses {
  const gap = type === 'run.resumed' ? gapBetween(before.last, Date.parse(ts)) : 0
  return { ms: before.ms + gap, last: ts }
}

/** The time until the process that asks included. */
export function pauseOf({ ms, last }: Pauses, now: number): number {
  return ms + gapBetween(last, now)
}

/** Of many lines at once: how long nobody ran the run before this one. `before` is when the line ahead of all was written. */
export function gapAt(
  lines: readonly Pick<JournalLine, 'type' | 'ts'>[],
  index: number,
  before: string,
): number {
  const line = lines[index]
  if (line?.type !== 'run.resumed') return 0
  const last = lines[index - 1]?.ts ?? before
  return gapBetween(last === '' ? undefined : last, Date.parse(line.ts))
}

/** A clock that was set back makes no time. */
function gapBetween(from: string | undefined, until: number): number {
  return from === undefined ? 0 : Math.max(0, until - Date.parse(from))
}
