import { expect, it } from 'vitest'
import { openToolClock } from './tool-clock.ts'

const timeout = { wallMs: 9000, idleMs: 100, toolMs: 5000 }

it('silence is measured by one clock between tool calls, by another while any of them is at work', () => {
  const clock = openToolClock(timeout)
  const limits = [clock.limitMs()]
  const hear = (...events: Parameters<typeof clock.watch>[0][]): void => {
    for (const event of events) clock.watch(event)
    limits.push(clock.limitMs())
  }
  hear({ type: 'tool_call', id: 'a', name: 'shell', input: {} }, { type: 'text', text: 'meanwhile' })
  hear({ type: 'tool_call', id: 'b', name: 'read', input: {} }, { type: 'tool_result', id: 'a', ok: true })
  hear({ type: 'tool_result', id: 'b', ok: false })
  hear({ type: 'tool_result', id: 'never called', ok: true })
  expect(limits).toEqual([100, 5000, 5000, 100, 100])
})
