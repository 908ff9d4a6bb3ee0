import { formatDuration } from '../model/duration.ts'
import type { RunState } from '../model/run-state.ts'

/** A table of a report, whichever form the report has. */
export interface ReportTable {
  readonly title: string
  /** In a table of counts the first column names and the others count. */
  readonly kind: 'counts' | 'words'
  /** What to know beforehand, or why there are no rows. */
  readonly note: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** Between two instants of a journal; empty where one of them is not there yet. */
export function timeBetween(from: string, to: string): string {
  const milliseconds = Date.parse(to) - Date.parse(from)
  return Number.isNaN(milliseconds) ? '' : formatDuration(milliseconds)
}

/** How long a run has worked, which is what its limit counts; and since when, where it stood still meanwhile. */
export function workTime({
  startedAt,
  updatedAt,
  pausedMs,
}: Pick<RunState, 'startedAt' | 'updatedAt' | 'pausedMs'>): string {
  const whole = Date.parse(updatedAt) - Date.parse(startedAt)
  if (!Number.isFinite(whole) || whole < 0) return ''
  if (pausedMs < leastPauseMs) return formatDuration(whole)
  return `${formatDuration(Math.max(0, whole - pausedMs))} of work, ${formatDuration(whole)} with its pauses`
}

/** Shorter ones are nobody's waiting. */
const leastPauseMs = 1000

/** Which walls are around a run's agents; nothing to say where none were needed. */
export function wallsWords(walls: string): string {
  return walls === 'down' ? 'DOWN (sandbox: off)' : walls
}

/** Of a verb that stands alone and must not: what it sends is paid for. */
export function wordsNeeded(verb: string): string {
  return `'${verb}' needs words: they are what the step is told.`
}
