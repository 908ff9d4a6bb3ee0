import { describe, expect, it } from 'vitest'
import { engineEvent } from './event.ts'
import type { EventType, JournalLine } from './event.ts'
import { addPause, pauseOf } from './paused.ts'

function at(seconds: number, type: EventType = 'checkpoint'): JournalLine {
  return { ...engineEvent(type, {}), ts: new Date(seconds * 1000).toISOString() }
}

function pauseAfter(lines: readonly JournalLine[], now: number): number {
  return pauseOf(lines.reduce(addPause, { ms: 0 }), now)
}

describe('the time that a run stood still', () => {
  it('is none while its first process runs', () => {
    expect(pauseAfter([], 5000)).toBe(0)
  })

  it('is what lies between the last fact of a process and the first of the next (R004-106, R004-109)', () => {
    const lines = [at(0, 'run.started'), at(10), at(100, 'run.resumed'), at(110)]
    expect(pauseAfter(lines, 200_000)).toBe(90_000 + 90_000)
  })

  it('is not less than none where a clock was set back', () => {
    expect(pauseAfter([at(100, 'run.started')], 50_000)).toBe(0)
  })
})
