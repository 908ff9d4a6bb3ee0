import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJsonl } from './append-jsonl.ts'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton-jsonl-'))
  path = join(directory, 'journal.jsonl')
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

describe('a writer', () => {
  test('makes a file that is only for its owner', async () => {
    await (await openJsonl(path)).close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('keeps the order of lines that nobody waited for', async () => {
    const writer = await openJsonl(path)
    const values = Array.from({ length: 500 }, (_, n) => ({ n, text: 'é\n'.repeat(n % 7) }))
    await Promise.all(
      values.map((value, n) => (n % 3 === 0 ? writer.appendLazily(value) : writer.append(value))),
    )
    expect(await readFile(path, 'utf8')).toBe(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    expect(writer.bytes).toBe((await stat(path)).size)
    await writer.close()
  })

  test('has written everything when it is closed', async () => {
    const writer = await openJsonl(path)
    const written = writer.appendLazily(1)
    await writer.close()
    await written
    expect(await readFile(path, 'utf8')).toBe('1\n')
  })

  test('refuses what JSON cannot hold and goes on', async () => {
    const writer = await openJsonl(path)
    await expect(writer.append(undefined)).rejects.toThrow('undefined cannot be written as JSON')
    await writer.append('next')
    await writer.close()
    expect(await readFile(path, 'utf8')).toBe('"next"\n')
  })

  test('writes nothing more after a failure, so that no line follows half a line', async () => {
    const writer = await openJsonl(path)
    await writer.close()
    await expect(writer.append(1)).rejects.toThrow()
    await expect(writer.append(2)).rejects.toThrow()
  })

  test.each([
    ['{"a":1}\n{"b":', '{"a":1}\n'],
    ['{"a":1}\n{"b":2}', '{"a":1}\n'],
    ['{"a"', ''],
    [`{"a":1}\n${'x'.repeat(200_000)}`, '{"a":1}\n'],
    ['{"a":1}\n\0\0\0\0', '{"a":1}\n'],
    ['{"a":1}\n', '{"a":1}\n'],
  ])('cuts a torn last line and goes on after the whole ones: case %#', async (before, kept) => {
    await writeFile(path, before)
    const writer = await openJsonl(path)
    expect(writer.bytes).toBe(kept.length)
    await writer.append({ c: 3 })
    await writer.close()
    expect(await readFile(path, 'utf8')).toBe(`${kept}{"c":3}\n`)
  })
})
