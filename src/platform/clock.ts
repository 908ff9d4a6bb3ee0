import { setTimeout as wait } from 'node:timers/promises'

export interface Clock {
  /** What the wall clock shows, for people. Somebody may set it, by days and backwards. */
  now(): Date
  /** For limits: milliseconds since 1970 when the process began, and from then on counted steadily. By default `now`. */
  steady?(): number
  /** Rejects with an AbortError as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A longer timer of Node fires at once. */
export const longestTimerMs = 2 ** 31 - 1

/** The time that limits are reckoned with. */
export function instantOf(clock: Clock): number {
  return clock.steady?.() ?? clock.now().getTime()
}

export const systemClock: Clock = {
  now() {
    return new Date()
  },
  steady() {
    return Math.floor(performance.timeOrigin + performance.now())
  },
  async sleep(ms, signal) {
    const until = performance.now() + ms
    for (let left = ms; left > 0; left = until - performance.now()) {
      await wait(Math.min(left, longestTimerMs), undefined, signal === undefined ? {} : { signal })
    }
  },
}

/**
 * A clock for tests and for runs that must come out the same twice: every look at it moves it on by `stepMs`,
 * and sleeping moves it on without waiting.
 */
export function fixedClock(start: Date, stepMs = 0): Clock {
  let next = start.getTime()
  return {
    now() {
      const now = new Date(next)
      next += stepMs
      return now
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      next += ms
    },
  }
}

export interface MovedClock extends Clock {
  moveTo(time: Date): void
}

/** Stands where somebody has put it: the time at which something happened once. */
export function movedClock(start: Date): MovedClock {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    moveTo(next) {
      time = next.getTime()
    },
    async sleep(_ms, signal) {
      signal?.throwIfAborted()
    },
  }
}
