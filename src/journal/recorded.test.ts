import { describe, expect, it } from 'vitest'
import { engineEvent } from '../model/event.ts'
import type { EventType, JournalLine } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { recordedOf } from './recorded.ts'

function line(type: EventType, data: JsonObject, seconds = 0): JournalLine {
  return { ...engineEvent(type, data), ts: new Date(seconds * 1000).toISOString() }
}

describe('what a run needs of its journal', () => {
  it('is the keys of each branch in their order, with the values of its steps', () => {
    const { branches, children, count } = recordedOf([
      line('run.started', { run: '1' }),
      line('checkpoint', { key: 'a', value: 1 }),
      line('said', { text: 'so', key: 'a/said' }),
      line('checkpoint', { key: 'side>b', value: { two: 2 } }),
      line('checkpoint', { key: 'side', value: 'end', child: true }),
    ])
    expect(count).toBe(5)
    expect(branches.get('')).toEqual({ keys: ['a', 'a/said'], values: [1, null] })
    expect(branches.get('side>')).toEqual({ keys: ['b'], values: [{ two: 2 }] })
    expect(children).toEqual(new Map([['side', 'end']]))
  })

  it('is nothing of what was undone but its messages, and all lines for who settles the undo', () => {
    const message = { id: 'm1', verb: 'approve', text: '' }
    const lines = [
      line('step.finished', { key: 'plan#1/finished' }),
      line('checkpoint', { key: 'code#1/question', value: message }),
      line('run.undone', { to: 'plan#1' }),
    ]
    const { branches, messageIds, undos, undone } = recordedOf(lines)
    expect(branches.get('')?.keys).toEqual(['plan#1/finished'])
    expect([messageIds, undos]).toEqual([new Set(['m1']), 1])
    expect(undone).toEqual(lines)
  })

  it('is how long the run stood still between its processes', () => {
    const lines = [
      line('run.started', {}),
      line('said', {}, 10),
      line('run.resumed', {}, 100),
      line('said', {}, 110),
    ]
    expect(recordedOf(lines).pauses).toEqual({ ms: 90_000, last: new Date(110_000).toISOString() })
    expect(recordedOf([]).pauses).toEqual({ ms: 0 })
  })
})
