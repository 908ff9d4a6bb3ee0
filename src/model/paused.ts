import type { JournalLine } from './event.ts'

/** How long a run stood still between its processes, the time until the one that asks included. */
export function pauseOf(lines: readonly JournalLine[], now: number): number {
  const last = lines.at(-1)
  if (!last) return 0
  let paused = gapBetween(last, now)
  let before = last
  for (const [index, line] of lines.entries()) {
    if (line.type === 'run.resumed' && index > 0) paused += gapBetween(before, Date.parse(line.ts))
    before = line
  }
  return paused
}

/** A clock that was set back makes no time. */
function gapBetween({ ts }: JournalLine, until: number): number {
  return Math.max(0, until - Date.parse(ts))
}
