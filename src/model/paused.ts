import type { JournalLine } from './event.ts'

/** How long a run stood still between its processes, the time until the one that asks included. */
export function pauseOf(lines: readonly JournalLine[], now: number): number {
  const last = lines.at(-1)
  if (!last) return 0
  return lines.reduce(
    (paused, line, index) => {
      const before = line.type === 'run.resumed' ? lines[index - 1] : undefined
      return before ? paused + gapBetween(before, Date.parse(line.ts)) : paused
    },
    gapBetween(last, now),
  )
}

/** A clock that was set back makes no time. */
function gapBetween({ ts }: JournalLine, until: number): number {
  return Math.max(0, until - Date.parse(ts))
}
