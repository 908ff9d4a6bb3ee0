import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engineEvent } from '../model/event.ts'
import type { JournalLine, RunEvent } from '../model/event.ts'
import { fixedClock } from '../platform/clock.ts'
import { openJournal } from './open-journal.ts'
import { followJournal, readJournal } from './read-journal.ts'

let dir: string
let path: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'baton-journal-'))
  path = join(dir, '1.log.jsonl')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const clock = fixedClock(new Date('2025-10-02T12:00:00Z'))

async function write(events: readonly RunEvent[], secrets: readonly string[] = []): Promise<void> {
  const journal = await openJournal({ path, clock, secrets })
  for (const event of events) await journal.append(event)
  await journal.close()
}

async function linesOf(): Promise<JournalLine[]> {
  const lines: JournalLine[] = []
  for await (const line of readJournal(path)) lines.push(line)
  return lines
}

const planned: RunEvent = { type: 'step.started', role: 'ARCHITECT', data: { step: 'plan' } }

describe('the journal', () => {
  it('has one JSON object to a line, with the four keys ts, role, type and data (R003-79, C-83)', async () => {
    await write([planned, engineEvent('run.finished', { outcome: 'ok' })])
    const lines = (await readFile(path, 'utf8')).split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(
      '{"ts":"2025-10-02T12:00:00.000Z","role":"ARCHITECT","type":"step.started","data":{"step":"plan"}}',
    )
    expect(Object.keys(JSON.parse(lines[1] ?? '') as object)).toEqual(['ts', 'role', 'type', 'data'])
  })

  it('only grows (R003-77)', async () => {
    await write([planned])
    const before = await readFile(path, 'utf8')
    await write([planned, planned])
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true)
    expect(await linesOf()).toHaveLength(3)
  })

  it('keeps the order of what is written lazily and what is not', async () => {
    const journal = await openJournal({ path, clock, secrets: [] })
    const writing = ['a', 'b', 'c', 'd'].map((text, n) => {
      const event = engineEvent('said', { text })
      return n % 2 === 0 ? journal.appendLazily(event) : journal.append(event)
    })
    await Promise.all(writing)
    await journal.close()
    expect((await linesOf()).map(({ data }) => data['text'])).toEqual(['a', 'b', 'c', 'd'])
  })

  it('tells of every line once it is written', async () => {
    const told: JournalLine[] = []
    const journal = await openJournal({ path, clock, secrets: [], onLine: (line) => told.push(line) })
    await journal.append(planned)
    await journal.appendLazily(planned)
    expect(told).toEqual(await linesOf())
    await journal.close()
  })

  it('never holds a secret, in whatever field it comes (R003-91, C-83)', async () => {
    const secret = 'correct horse battery staple'
    const told: JournalLine[] = []
    const journal = await openJournal({ path, clock, secrets: [secret], onLine: (line) => told.push(line) })
    const data = { text: `key is ${secret}.`, nested: [{ deep: secret }], key: `sk-${'a1'.repeat(12)}` }
    await journal.append(engineEvent('said', data))
    await journal.appendLazily(engineEvent('checkpoint', { key: 'k', value: { token: secret } }))
    const cleaned = journal.clean({ token: secret })
    await journal.close()
    const text = await readFile(path, 'utf8')
    expect(text).not.toContain(secret)
    expect(text).not.toContain('sk-a1')
    expect(JSON.stringify(told)).not.toContain(secret)
    expect(told[0]?.data).toEqual({
      ...{ text: 'key is [redacted].', nested: [{ deep: '[redacted]' }], key: '[redacted]' },
    })
    expect(cleaned).toEqual({ token: '[redacted]' })
  })
})

describe('reading the journal', () => {
  it('a torn last line is no line, and the next writer cuts it off', async () => {
    await write([planned])
    await appendFile(path, '{"ts":"2025-10-02T12:00:00.000Z","role":"EN')
    expect(await linesOf()).toHaveLength(1)
    await write([engineEvent('run.resumed', {})])
    expect((await linesOf()).map(({ type }) => type)).toEqual(['step.started', 'run.resumed'])
  })

  it('a fact of a kind that this version does not know is refused with the way out', async () => {
    await write([planned])
    await appendFile(path, '{"ts":"2026-01-01T00:00:00Z","role":"ENGINE","type":"planet.moved","data":{}}\n')
    await expect(linesOf()).rejects.toMatchObject({
      ...{ code: 'journal.newer', exitCode: 2 },
      message: `${path}:2: a fact of a kind that this version does not know ('planet.moved').`,
      next: expect.stringContaining('npm install') as string,
    })
  })

  it.each([
    ['no JSON', 'garbage'],
    ['a number', '7'],
    ['null', 'null'],
    ['another object', '{"a":1}'],
    ['data that are no object', '{"ts":"t","role":"r","type":"said","data":[]}'],
  ])('%s in the middle is refused with file, line and how to look at it', async (_name, text) => {
    await write([planned])
    await appendFile(path, `${text}\n`)
    await write([planned])
    await expect(linesOf()).rejects.toMatchObject({
      ...{ code: 'journal.broken', message: `${path}:2: the journal is damaged here.` },
      next: `Look at the lines before it: head -n 1 '${path}' | tail -n 3`,
    })
  })

  it('a line with a fifth key is not ours', async () => {
    await writeFile(path, '{"ts":"t","role":"r","type":"said","data":{},"more":1}\n')
    await expect(linesOf()).rejects.toThrow(path)
  })

  it('follows a journal that is being written, and refuses damage in the same words', async () => {
    await write([planned])
    const controller = new AbortController()
    const types: string[] = []
    const following = (async () => {
      for await (const { type } of followJournal(path, controller.signal)) {
        types.push(type)
        if (types.length === 1) await write([engineEvent('run.finished', {})])
        if (types.length === 2) await appendFile(path, 'garbage\n')
      }
    })()
    await expect(following).rejects.toMatchObject({ code: 'journal.broken' })
    expect(types).toEqual(['step.started', 'run.finished'])
  })
})
