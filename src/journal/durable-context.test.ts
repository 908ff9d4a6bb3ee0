import { assert, asyncProperty, jsonValue } from 'fast-check'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { JournalLine } from '../model/event.ts'
import type { Json } from '../model/json.ts'
import { systemClock } from '../platform/clock.ts'
import { openContext } from './durable-context.ts'
import { openInbox, sendMessage } from './inbox.ts'
import { openJournal } from './open-journal.ts'
import { readJournal } from './read-journal.ts'
import { readRecorded } from './recorded.ts'

const root = await mkdtemp(join(tmpdir(), 'baton-context-'))
afterAll(() => rm(root, { recursive: true, force: true }))
const path = join(root, '1.log.jsonl')
const inbox = join(root, 'inbox')

async function linesOf(): Promise<JournalLine[]> {
  const lines: JournalLine[] = []
  for await (const line of readJournal(path)) lines.push(line)
  return lines
}

/** One process of the run: opens the journal, works, closes it. */
async function session<T>(run: (context: DurableContext) => Promise<T>, secrets: string[] = []): Promise<T> {
  const journal = await openJournal({ path, clock: systemClock, secrets })
  try {
    const { signal } = new AbortController()
    const recorded = await readRecorded(path, () => undefined)
    return await run(
      openContext({ runId: '1', journal, recorded, clock: systemClock, signal, inbox: openInbox(inbox) }),
    )
  } finally {
    await journal.close()
  }
}

/** Branches with steps, facts, a time and a message; what was done in this process goes into `acts`. */
async function work(context: DurableContext, acts: string[]): Promise<Json> {
  const act = (name: string) => async () => {
    acts.push(name)
    return { name }
  }
  const first = await context.step('first', act('first'))
  const branch = (name: string) => async (inner: DurableContext) => {
    const one = await inner.step('one', act(`${name}.one`))
    await inner.record('said', engineEvent('said', { text: name }))
    const two = await inner.step('two', act(`${name}.two`))
    return [one, two]
  }
  const both = await Promise.all([context.child('a', branch('a')), context.child('b', branch('b'))])
  const said = await context.message('asked', { step: 's', text: '?', verbs: ['answer'] })
  const last = await context.step('last', act('last'))
  return [first, ...both, said?.text ?? '', last]
}

describe('the durable context on a file', () => {
  it('goes on after a crash at every byte: the end is the same, and what was recorded whole is not done again', async () => {
    await sendMessage(inbox, { to: 'asked', verb: 'answer', text: 'yes' })
    const all: string[] = []
    const end = await session((context) => work(context, all))
    const bytes = await readFile(path)
    // Every line's beginning, middle and end, and the byte before its newline.
    const cuts = [...bytes.entries()]
      .filter(([, byte]) => byte === 10)
      .flatMap(([at]) => [at, at + 1, at - 20])
    for (const cut of [0, ...cuts]) {
      await writeFile(path, bytes.subarray(0, cut))
      const before = (await linesOf()).filter(({ type }) => type === 'checkpoint')
      const done = new Set(before.map(({ data }) => data['key']))
      const acts: string[] = []
      expect(await session((context) => work(context, acts))).toEqual(end)
      for (const name of acts) expect(done.has(keyOf(name))).toBe(false)
      expect(acts.length + [...done].filter((key) => all.some((name) => keyOf(name) === key)).length).toBe(
        all.length,
      )
    }
  })

  it('gives every value back in a replay exactly as the first run saw it', async () => {
    let n = 0
    const values = new Map<string, Json>()
    await writeFile(path, '')
    await session(async (context) => {
      await assert(
        asyncProperty(jsonValue({ noUnicodeString: false }), async (value) => {
          const key = `v${++n}`
          values.set(key, await context.step(key, async () => value as Json))
          expect(values.get(key)).toEqual(JSON.parse(JSON.stringify(value)))
        }),
        { numRuns: 100, endOnFailure: true },
      )
    })
    await session(async (context) => {
      for (const [key, value] of values) {
        const replayed = await context.step<Json>(key, () => Promise.reject(new Error('ran again')))
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(value))
      }
    })
  })

  it('keeps secrets out of values too, and lets the first run see no more than a replay (R003-91)', async () => {
    await writeFile(path, '')
    const secret = 'hunter2-hunter2'
    const play = () =>
      session((context) => context.step('answer', async () => ({ said: `it is ${secret}` })), [secret])
    expect(await play()).toEqual({ said: 'it is [redacted]' })
    expect(await play()).toEqual({ said: 'it is [redacted]' })
    expect(await readFile(path, 'utf8')).not.toContain(secret)
  })

  it('finds a key again that holds a secret, in steps, facts and branches', async () => {
    await writeFile(path, '')
    const acts: string[] = []
    const play = () =>
      session(
        async (context) => {
          const act = async () => acts.push('act')
          await context.step('wrote/docs/postgres.md', act)
          await context.record('said/postgres', engineEvent('said', { text: '' }))
          return context.child('postgres', (inner) => inner.step('at postgres', act))
        },
        ['postgres'],
      )
    expect([await play(), await play()]).toEqual([2, 2])
    expect(acts).toHaveLength(2)
    expect(await readFile(path, 'utf8')).not.toContain('postgres')
  })

  it('has a checkpoint on the disk before anything is done because of it', async () => {
    await writeFile(path, '')
    await session(async (context) => {
      await context.step('one', async () => 1)
      const [line] = await linesOf()
      expect(line).toMatchObject({ role: 'ENGINE', type: 'checkpoint', data: { key: 'one', value: 1 } })
    })
  })
})

function keyOf(name: string): string {
  return name.replace('.', '>')
}
