import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  ensureDirectory,
  fillFolder,
  readHead,
  readTail,
  readTextIfPresent,
  sha256Of,
  sha256OfFile,
  writeFileAtomic,
} from './files.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton-files-'))
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})
const at = (name: string): string => join(directory, name)

test('a file is replaced as a whole and nothing else stays in its directory', async () => {
  await writeFile(at('file'), 'a much longer old content')
  await writeFileAtomic(at('file'), 'new')
  expect(await readFile(at('file'), 'utf8')).toBe('new')
  expect(await readdir(directory)).toEqual(['file'])
})

test('many who replace one file leave the whole content of one of them', async () => {
  const contents = Array.from({ length: 10 }, (_, n) => String(n).repeat(100_000))
  await Promise.all(contents.map((content) => writeFileAtomic(at('file'), content)))
  expect(contents).toContain(await readFile(at('file'), 'utf8'))
  expect(await readdir(directory)).toEqual(['file'])
})

test('a file that cannot be replaced leaves nothing behind', async () => {
  await ensureDirectory(at('taken'))
  await expect(writeFileAtomic(at('taken'), 'x')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(await readdir(directory)).toEqual(['taken'])
})

test('a text and the file that holds it have the same digest', async () => {
  await writeFile(at('file'), 'abc')
  expect(await sha256OfFile(at('file'))).toBe(sha256Of('abc'))
  expect(sha256Of('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a directory is made with those above it, or is there already', async () => {
  await ensureDirectory(at('a/b'))
  await ensureDirectory(at('a/b'))
  expect(await readdir(at('a'))).toEqual(['b'])
})

test('a directory that the system does not make is an error, however many are missing above it', async () => {
  await expect(ensureDirectory('/proc/gone/deep/deeper')).rejects.toThrow(/ENOENT|EACCES|EPERM|EROFS/)
})

test('directories that could not be filled are gone again, with those above them that were made', async () => {
  await ensureDirectory(at('there'))
  const failing = fillFolder(at('there/a/b'), () => Promise.reject(new Error('full')))
  await expect(failing).rejects.toThrow('full')
  expect(await readdir(at('there'))).toEqual([])
})

test('a text that is missing is undefined; one that is a directory is an error', async () => {
  expect(await readTextIfPresent(at('gone'))).toBeUndefined()
  await expect(readTextIfPresent(directory)).rejects.toThrow('EISDIR')
})

test('the head and the tail of a text are whole characters, at most one of them missing', async () => {
  const character = fc.oneof(
    fc.constantFrom('a', '\n', 'é', '→', '🙂'),
    fc.string({ unit: 'grapheme', maxLength: 1 }),
  )
  const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, fc.nat(60), async (whole, maxBytes) => {
      await writeFile(at('text'), whole)
      const least = Math.min(Buffer.byteLength(whole), maxBytes - 3)
      const head = await readHead(at('text'), maxBytes)
      const tail = await readTail(at('text'), maxBytes)
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
      for (const part of [head, tail]) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(maxBytes)
        expect(Buffer.byteLength(part)).toBeGreaterThanOrEqual(least)
      }
    }),
    { numRuns: 200 },
  )
})

test('the tail of a file that is being written ends before a half character', async () => {
  await writeFile(at('text'), Buffer.from('ab🙂').subarray(0, 4))
  expect(await readTail(at('text'), 100)).toBe('ab')
})
