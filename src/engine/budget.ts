import type { Instant } from '../model/durable.ts'
import { parseDuration } from '../model/duration.ts'

export interface TimeBox {
  readonly now: Instant
  /** When the surrounding list or run has to be done. */
  readonly deadline?: Instant
}

/** When a step has to be done: its own duration or share of what is left, never later than what surrounds it. */
export function deadlineOf(box: TimeBox, time: string | number | undefined): Instant | undefined {
  const own = ownDeadline(box, time)
  if (own === undefined) return box.deadline
  return box.deadline === undefined ? own : Math.min(own, box.deadline)
}

function ownDeadline(box: TimeBox, time: string | number | undefined): Instant | undefined {
  if (typeof time === 'number') return shareDeadline(box, time)
  const ms = time === undefined ? undefined : parseDuration(time)
  return ms === undefined ? undefined : box.now + ms
}

/** A share of the time that is left; without a limit around it a share means nothing. */
export function shareDeadline(box: TimeBox, share: number): Instant | undefined {
  if (box.deadline === undefined) return undefined
  return box.now + Math.max(0, Math.floor((box.deadline - box.now) * share))
}

/** `even`: the time that is left, by the number of items that are left. */
export function evenDeadline(box: TimeBox, itemsLeft: number): Instant | undefined {
  return shareDeadline(box, 1 / Math.max(1, itemsLeft))
}
