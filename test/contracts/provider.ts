// What every provider promises, whatever tool is behind it. The real tools are held to it by what they were recorded
// to print; a tool that only the settings know, and a scripted one, by running.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { Transcript } from '../../src/agents/transcript.ts'
import type { Heard } from '../../src/agents/transcript.ts'
import { agentErrors } from '../../src/model/agent.ts'
import type { AgentEvent, AgentFailure, Provider } from '../../src/model/agent.ts'
import { errorOf } from '../support/model-servers/failures.ts'
import type { FailureName } from '../support/model-servers/failures.ts'

/** What came of one call, whether the tool was running or recorded. */
export interface Outcome {
  readonly answer: string
  readonly failure: AgentFailure | undefined
}

export interface Replayed {
  readonly events: readonly AgentEvent[]
  readonly heard: Heard
  readonly failure: AgentFailure | undefined
}

/** A recorded stream through the provider's own parser and judge. */
export async function replayed(provider: Provider, file: string, code: number): Promise<Replayed> {
  const parser = provider.parse?.('/call/home')
  if (!parser || !provider.judge) throw new Error(`${provider.name} has no stream`)
  const events: AgentEvent[] = []
  const transcript = new Transcript(parser, (event) => events.push(event))
  transcript.push(await readFile(file))
  const heard = transcript.end()
  // Beside it, where something that counts was said on the error output.
  const errors = file.replace(/\.jsonl$/, '.stderr.txt')
  const complaint = existsSync(errors) ? await readFile(errors, 'utf8') : ''
  return { events, heard, failure: provider.judge({ ...heard, code, complaint }) }
}

/** Work with two tool calls and an answer. */
export function expectWork({ events, heard, failure }: Replayed): void {
  expect(failure).toBeUndefined()
  expect(events[0]).toMatchObject({ type: 'started' })
  expect(events.at(-1)).toEqual({ type: 'finished', ok: true })
  expect(heard).toMatchObject({
    finished: true,
    answered: true,
    answer: expect.stringContaining('{"ok":true}'),
  })
  expect(heard.answer).not.toContain('Looking.')
  const calls = events.filter(({ type }) => type === 'tool_call')
  const results = events.filter(({ type }) => type === 'tool_result')
  expect(new Set(calls.map((event) => (event as { id: string }).id)).size).toBe(2)
  expect(results).toHaveLength(2)
  expect(heard.usage?.input).toBeGreaterThan(0)
  expect(heard.usage?.output).toBeGreaterThan(0)
}

/** Of every provider: an answer, and nothing to complain about. */
export function expectAnswer({ answer, failure }: Outcome): void {
  expect(failure).toBeUndefined()
  expect(answer).toContain('{"ok":true}')
}

/** Of every provider: no success, one of our classes, one line of words; a time only where one was said. */
export function expectFailure({ failure }: Pick<Outcome, 'failure'>, name: FailureName): void {
  expect(agentErrors).toContain(failure?.error)
  expect(failure).toMatchObject({ error: errorOf[name] })
  expect(failure?.message).toMatch(/\S/)
  expect(failure?.message).not.toContain('\n')
  expect(typeof failure?.resetsAt).toBe(name === 'quotaUntil' ? 'number' : 'undefined')
}
