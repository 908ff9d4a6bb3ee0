import { describe, expect, it } from 'vitest'
import type { AgentEvent, LineParser } from '../model/agent.ts'
import { Transcript } from './transcript.ts'

/** Every line is an event already. */
const plain: LineParser = { line: (text) => [JSON.parse(text) as AgentEvent] }

function hear(...events: readonly AgentEvent[]) {
  const transcript = new Transcript(plain)
  for (const event of events) transcript.push(Buffer.from(`${JSON.stringify(event)}\n`))
  return transcript.end()
}

describe('a transcript', () => {
  it('keeps as the answer what was said after the last tool call (R002-33)', () => {
    const heard = hear(
      { type: 'text', text: 'I will look.' },
      { type: 'tool_call', id: '1', name: 'ls', input: {} },
      { type: 'tool_result', id: '1', ok: true },
      { type: 'text', text: 'Done: ' },
      { type: 'text', text: '{"a":1}' },
    )
    expect(heard).toMatchObject({ answer: 'Done: {"a":1}', answered: true })
  })

  it('begins anew where a message is given as a whole', () => {
    const heard = hear(
      { type: 'text', text: 'first', whole: true },
      { type: 'text', text: 'second', whole: true },
    )
    expect(heard.answer).toBe('second')
  })

  it('counts the last usage, and leaves out what was not told', () => {
    const heard = hear({ type: 'usage', input: 1 }, { type: 'usage', input: 5, output: 2 })
    expect(heard.usage).toEqual({ input: 5, output: 2 })
    expect(hear().usage).toBeUndefined()
  })

  it('reads lines whatever pieces they come in, and the last one without an end (R002-27)', () => {
    const seen: AgentEvent[] = []
    const transcript = new Transcript(plain, (event) => seen.push(event))
    const bytes = Buffer.from('{"type":"text","text":"größer"}\n\n{"type":"finished","ok":true}')
    for (const byte of bytes) transcript.push(Buffer.from([byte]))
    expect(transcript.end()).toMatchObject({ answer: 'größer', finished: true })
    expect(seen.map(({ type }) => type)).toEqual(['text', 'finished'])
  })
})
