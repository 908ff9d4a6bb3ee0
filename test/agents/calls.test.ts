import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAnswer } from '../../src/agents/parse-answer.ts'
import type { AgentEvent } from '../../src/model/agent.ts'
import { errorOf, failing, failureNames } from '../support/model-servers/failures.ts'
import { closedAddress, kinds } from '../support/model-servers/model-server.ts'
import type { Play } from '../support/model-servers/model-server.ts'
import { converse } from './tools.ts'

const works: Play = ({ turn }) => {
  if (turn === 0)
    return { say: 'First a note.', calls: [{ write: { path: 'notes/a.txt', text: 'hello\n' } }] }
  if (turn === 1) return { calls: [{ shell: 'cat notes/a.txt && touch seen.txt' }] }
  return { say: 'Done.\n```json\n{"status":"success"}\n```\n' }
}

/** Two million characters that a tool could take for commands, files or variables. */
const line =
  '@Injectable() see @README.md and @scope/pkg, bob@example.com, ${HOME} !{ls} {{args}} $(id) `id` \\@x\n'
const hardPrompt = `/memory show\n${line.repeat(Math.ceil(2_000_000 / line.length))}  The end: größer.`

describe.each(kinds)('the real %s', (kind) => {
  it('R001-14, R001-15, R002-05, R002-06, R002-07: works through its own tools, by standard input and output', async () => {
    const events: AgentEvent[] = []
    const called = await converse(kind, works, { onEvent: (event) => events.push(event) })
    expect(called.failure).toBeUndefined()
    expect(called.heard).toMatchObject({
      finished: true,
      answer: 'Done.\n```json\n{"status":"success"}\n```\n',
    })
    expect(await readFile(join(called.worktree, 'notes/a.txt'), 'utf8')).toBe('hello\n')
    expect(await readFile(join(called.worktree, 'seen.txt'), 'utf8')).toBe('')
    expect(called.heard.usage).toMatchObject({ input: expect.any(Number), output: expect.any(Number) })
    const types = events.map(({ type }) => type)
    expect(types[0]).toBe('started')
    expect(types.at(-1)).toBe('finished')
    expect(types.filter((type) => type === 'tool_result')).toHaveLength(2)
  })

  it('R002-32: hands over 2 MB that begin with a slash, with @names, unharmed', async () => {
    const called = await converse(kind, () => ({ say: '{"ok":true}' }), { prompt: hardPrompt })
    expect(called.failure).toBeUndefined()
    expect(called.asked[0]?.prompt.includes(hardPrompt)).toBe(true)
  })

  it('R002-33: gives back 600 KB of prose with JSON in it, whole', async () => {
    // No two sentences the same: a tool that sees its model repeat itself stops it.
    const prose = Array.from(
      { length: 14_000 },
      (_, n) => `${n * 7919}: {a sentence} number ${n * 104_729}.\n`,
    ).join('')
    const said = `${prose}\n\`\`\`json\n{"status":"success","n":7}\n\`\`\`\nThat is all.`
    const called = await converse(kind, () => ({ say: said }))
    expect(called.heard.answer.length).toBe(said.length)
    const parsed = await parseAnswer([Buffer.from(called.heard.answer)], () => [], 'json_tail')
    expect(parsed).toMatchObject({ type: 'answer', value: { status: 'success', n: 7 } })
  })

  it.each(failureNames)('R002-29, R002-57: says %s in the right class, and ends', async (name) => {
    const until = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 3 * 3_600_000)
    const called = await converse(kind, () => failing(kind, name, until))
    expect(called.end.type).toBe('exited')
    expect(called.failure).toMatchObject({ error: errorOf[name] })
    expect(called.failure?.message).not.toBe('')
    if (name === 'quotaUntil')
      expect(Math.abs((called.failure?.resetsAt ?? 0) - until.getTime())).toBeLessThan(120_000)
    if (name === 'quota') expect(called.failure?.resetsAt).toBeUndefined()
  })

  it('says that nobody listens at the address of its service', async () => {
    const called = await converse(kind, works, { env: await closedAddress(kind) })
    expect(called.asked).toEqual([])
    expect(called.failure).toMatchObject({ error: 'crash' })
  })

  it('does not take silence for an answer', async () => {
    const called = await converse(kind, () => ({ say: '' }))
    expect(called.failure).toMatchObject({ error: expect.stringMatching(/protocol|crash/) })
  })

  it('ends at its limit of turns, and that is no success', async () => {
    const loop: Play = ({ turn }) => ({ calls: [{ shell: `echo ${turn}` }] })
    const called = await converse(kind, loop, { maxTurns: 3 })
    expect(called.failure).toMatchObject({ error: 'refused' })
    // Left alone it would go on for ever. Codex cannot count: who counts for it sees a call a moment after it was made.
    expect(called.asked.length).toBeLessThan(kind === 'codex' ? 100 : 6)
  })
})

const schema = {
  ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', additionalProperties: false },
  required: ['status', 'n'],
  properties: { status: { type: 'string', enum: ['success', 'failed'] }, n: { type: 'integer' } },
}

describe('a schema for the answer', () => {
  it('is handed over by the real codex to the service', async () => {
    const say = '{"status":"success","n":7}'
    const called = await converse('codex', () => ({ say }), { request: { answerSchema: schema } })
    expect(called.failure).toBeUndefined()
    expect(called.heard.answer).toBe(say)
    expect(called.asked[0]?.raw).toContain('"json_schema"')
  })

  it('is one more tool of the real claude: what is given to it is the answer', async () => {
    const given = { tool: 'StructuredOutput', input: { status: 'success', n: 7 } }
    const called = await converse('claude', () => ({ say: 'Done.', calls: [given] }), {
      request: { answerSchema: schema },
    })
    expect(called.failure).toBeUndefined()
    expect(JSON.parse(called.heard.answer)).toEqual(given.input)
    expect(called.asked).toHaveLength(1)
    expect(called.asked[0]?.tools).toContain('StructuredOutput')
  })

  it('does not keep the real claude from answering in words', async () => {
    const called = await converse('claude', () => ({ say: 'Here: {"status":"success","n":7}' }), {
      request: { answerSchema: schema },
    })
    expect(called.failure).toBeUndefined()
    expect(called.heard.answer).toContain('{"status":"success","n":7}')
  })

  it.each(['claude', 'codex'] as const)('that %s might refuse is not handed over', async (kind) => {
    const open = { type: 'object', properties: { status: { type: 'string' } } }
    const called = await converse(kind, () => ({ say: '{"status":"success"}' }), {
      request: { answerSchema: open },
    })
    expect(called.failure).toBeUndefined()
    expect(called.asked[0]?.raw).not.toMatch(/json_schema|StructuredOutput/)
  })
})
