// How long it takes to find the answer in what an agent printed, and whether that grows in step with the text.
import { createHash } from 'node:crypto'
import { spread } from './measure.mjs'

const answer = '```json\n{ "verdict": "PASS", "review_path": "docs/review.md" }\n```\n'
const MB = 1_000_000

/** Each is repeated to the wanted size; the last two are what a scanner could stumble over again and again. */
const texts = {
  prose:
    'I looked at src/total.js: `total({ items })` adds { price } once, and "quantity" is read nowhere.\n',
  'open objects': '{"a":[{"b":',
  'fences and quotes': '```json\n{"a": "\\"{ \n',
}

export async function measureParse({ parseAnswer, sizes, rounds }) {
  const rows = []
  for (const [name, text] of Object.entries(texts)) {
    // The first megabytes are read by code that V8 has not compiled yet.
    await parseAnswer(chunksOf(text, 5 * MB), accept, 'json_tail')
    for (const megabytes of sizes) {
      const chunks = chunksOf(text, megabytes * MB)
      const [floor, parse] = await alternate(
        [() => digest(chunks), () => parseAnswer(chunks, accept, 'json_tail')],
        megabytes < 100 ? rounds : Math.ceil(rounds / 2),
      )
      rows.push({
        name,
        megabytes,
        floor: spread(floor.times),
        parse: spread(parse.times),
        found: parse.result.type,
        cpuMs: Math.min(...parse.cpus),
      })
    }
  }
  return { rows, growth: growthOf(rows) }
}

/** From the second largest size to the largest, per text: linear is about ten. */
function growthOf(rows) {
  return Object.keys(texts).map((name) => {
    const [small, large] = rows.filter((row) => row.name === name).slice(-2)
    return { name, factor: large.cpuMs / small.cpuMs, expected: large.megabytes / small.megabytes }
  })
}

async function alternate(acts, rounds) {
  const sides = acts.map(() => ({ times: [], cpus: [], result: undefined }))
  for (let round = -1; round < rounds; round++) {
    for (const [index, act] of acts.entries()) {
      const cpuBefore = process.cpuUsage()
      const startedAt = performance.now()
      sides[index].result = await act()
      const wallMs = performance.now() - startedAt
      const { user, system } = process.cpuUsage(cpuBefore)
      if (round < 0) continue
      sides[index].times.push(wallMs)
      sides[index].cpus.push((user + system) / 1000)
    }
  }
  return sides
}

/** 64 KiB each, as a file stream gives them; the same memory again and again, so that 100 MB are not held. */
function* slices(text, bytes) {
  const block = Buffer.from(text.repeat(Math.ceil(65_536 / text.length) + 1)).subarray(0, 65_536)
  for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left)
  yield Buffer.from(`\n${answer}`)
}

function chunksOf(text, bytes) {
  return { [Symbol.iterator]: () => slices(text, bytes) }
}

function accept() {
  return []
}

/** The floor: a pass that has to look at every byte once, which Baton makes as well. */
function digest(chunks) {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
