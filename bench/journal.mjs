// What it costs to make a fact durable, and to read all of them again.
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { quantile, spread } from './measure.mjs'

const event = {
  role: 'ENGINE',
  type: 'checkpoint',
  data: {
    key: 'plan#1/work',
    value: { type: 'kept', tip: '0'.repeat(40), tree: '1'.repeat(40), commits: [], writes: ['docs/plan.md'] },
  },
}
const lines = 10_000

export async function measureJournal({ openJournal, readJournal, clock, dir, appends, rounds }) {
  mkdirSync(dir, { recursive: true })
  const append = await measureAppend({ openJournal, clock, dir, appends })
  return { append, read: await measureRead({ readJournal, dir, rounds }), lines }
}

async function measureAppend({ openJournal, clock, dir, appends }) {
  const journal = await openJournal({ path: join(dir, 'appended.jsonl'), clock, secrets: [] })
  const raw = openSync(join(dir, 'raw.jsonl'), 'a')
  const bytes = Buffer.from(lineAt(0))
  const samples = { floor: [], append: [] }
  for (let index = -20; index < appends; index++) {
    const floorMs = timed(() => {
      writeSync(raw, bytes)
      fdatasyncSync(raw)
    })
    const startedAt = performance.now()
    await journal.append(event)
    const appendMs = performance.now() - startedAt
    if (index < 0) continue
    samples.floor.push(floorMs)
    samples.append.push(appendMs)
  }
  closeSync(raw)
  await journal.close()
  return { floor: percentiles(samples.floor), append: percentiles(samples.append) }
}

async function measureRead({ readJournal, dir, rounds }) {
  const path = join(dir, 'long.jsonl')
  writeFileSync(path, Array.from({ length: lines }, (_, index) => lineAt(index)).join(''))
  const samples = { floor: [], read: [] }
  for (let round = -1; round < rounds; round++) {
    const floorMs = timed(() => {
      const values = readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      if (values.length !== lines) throw new Error('the floor has lost lines')
    })
    const startedAt = performance.now()
    let count = 0
    for await (const line of readJournal(path)) count += line.type.length > 0 ? 1 : 0
    const readMs = performance.now() - startedAt
    if (count !== lines) throw new Error(`read ${count} of ${lines} lines`)
    if (round < 0) continue
    samples.floor.push(floorMs)
    samples.read.push(readMs)
  }
  return { floor: spread(samples.floor), read: spread(samples.read) }
}

function lineAt(index) {
  const ts = new Date(1_700_000_000_000 + index).toISOString()
  return `${JSON.stringify({ ts, ...event, data: { ...event.data, key: `plan#${index}/work` } })}\n`
}

function timed(act) {
  const startedAt = performance.now()
  act()
  return performance.now() - startedAt
}

function percentiles(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}
