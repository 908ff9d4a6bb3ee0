import { appendFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJsonl } from './append-jsonl.ts'
import { BrokenLineError, followJsonl, readJsonl } from './read-jsonl.ts'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton-jsonl-'))
  path = join(directory, 'journal.jsonl')
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

async function allOf(lines: AsyncIterable<{ value: unknown; line: number }>): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const { value } of lines) values.push(value)
  return values
}

describe('a reader', () => {
  test('gives every line with its number, however long it is', async () => {
    const long = 'é'.repeat(200_000)
    await writeFile(path, `1\n${JSON.stringify(long)}\n{"a":[]}\n`)
    const lines: unknown[] = []
    for await (const line of readJsonl(path)) lines.push(line)
    expect(lines).toEqual([
      { value: 1, line: 1 },
      { value: long, line: 2 },
      { value: { a: [] }, line: 3 },
    ])
  })

  test('leaves out a torn last line', async () => {
    await writeFile(path, '1\n2\n{"to')
    expect(await allOf(readJsonl(path))).toEqual([1, 2])
  })

  test('stops at a broken line and names it', async () => {
    await writeFile(path, '1\n{"to\n3\n')
    const broken = allOf(readJsonl(path))
    await expect(broken).rejects.toBeInstanceOf(BrokenLineError)
    await expect(broken).rejects.toMatchObject({ line: 2, path })
    const before: unknown[] = []
    const read = async () => {
      for await (const { value } of readJsonl(path)) before.push(value)
    }
    await expect(read()).rejects.toBeInstanceOf(BrokenLineError)
    expect(before).toEqual([1])
  })

  test('leaves memory flat over 200 MB', async () => {
    const file = await open(path, 'w')
    const block = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`.repeat(1000)
    for (let n = 0; n < 200; n++) await file.write(block)
    await file.close()
    const before = process.memoryUsage.rss()
    let peak = before
    let count = 0
    for await (const { line } of readJsonl(path)) {
      count = line
      if (line % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss())
    }
    expect(count).toBe(200_000)
    expect(peak - before).toBeLessThan(120_000_000)
  })
})

describe('a follower', () => {
  test('gives what is there, then what comes, and never half a line', async () => {
    await writeFile(path, '1\n')
    const stop = new AbortController()
    const seen: unknown[] = []
    const next = ['{"half":', '2}\n3\n', '"last"\n']
    for await (const { value, line } of followJsonl(path, { signal: stop.signal, pollMs: 5 })) {
      seen.push([line, value])
      if (value === 'last') stop.abort()
      // The first line brings the half one; the other pieces come when the follower has looked at it.
      if (value === 1) {
        await appendFile(path, String(next.shift()))
        setTimeout(() => void appendFile(path, String(next.shift())), 50)
      }
      if (value === 3) await appendFile(path, String(next.shift()))
    }
    expect(seen).toEqual([
      [1, 1],
      [2, { half: 2 }],
      [3, 3],
      [4, 'last'],
    ])
  })

  test('waits for a file that does not exist yet', async () => {
    const stop = new AbortController()
    const follower = followJsonl(path, { signal: stop.signal, pollMs: 5 })
    const first = follower.next()
    setTimeout(() => void writeFile(path, '1\n'), 50)
    expect((await first).value).toEqual({ value: 1, line: 1 })
    stop.abort()
    expect(await follower.next()).toEqual({ done: true, value: undefined })
  })

  test('goes on when the writer has cut a torn line after a crash', async () => {
    await writeFile(path, '1\n{"torn":1')
    const stop = new AbortController()
    const follower = followJsonl(path, { signal: stop.signal, pollMs: 5 })
    await follower.next()
    const second = follower.next()
    const writer = await openJsonl(path)
    await writer.append('after')
    await writer.close()
    expect((await second).value).toEqual({ value: 'after', line: 2 })
    stop.abort()
  })
})
