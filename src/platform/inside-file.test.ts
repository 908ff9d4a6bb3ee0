import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookInside, moveInside, readInside, UnsafePathError, writeInside } from './inside-file.ts'

const maxBytes = 1000
let directory: string
let root: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton-inside-'))
  root = join(directory, 'root')
  await mkdir(root)
  await mkdir(join(directory, 'outside'))
  await writeFile(join(directory, 'outside', 'secret'), 'secret')
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

const inRoot = (path: string): string => join(root, path)
const secret = (): Promise<string> => readFile(join(directory, 'outside', 'secret'), 'utf8')

async function everyWay(path: string): Promise<unknown[]> {
  await writeFile(inRoot('free'), 'x')
  const ways = [
    writeInside(root, path, 'x', { maxBytes }),
    readInside(root, path, { maxBytes }),
    moveInside(root, path, 'elsewhere'),
    moveInside(root, 'free', path),
  ]
  const results = await Promise.allSettled(ways)
  return results.map((result) => (result.status === 'rejected' ? result.reason : 'not refused'))
}

describe('a file inside', () => {
  test('is written with the directories above it, and read', async () => {
    await writeInside(root, './a/b/file.md', 'text', { maxBytes })
    expect(await readInside(root, 'a/b/file.md', { maxBytes })).toBe('text')
    expect(await readdir(inRoot('a/b'))).toEqual(['file.md'])
  })

  test('is undefined if it, or a directory above it, is missing', async () => {
    expect(await readInside(root, 'gone', { maxBytes })).toBeUndefined()
    expect(await readInside(root, 'gone/too', { maxBytes })).toBeUndefined()
    expect(await readdir(root)).toEqual([])
  })

  test('may have the longest name there is', async () => {
    const name = `${'ü'.repeat(126)}.md`
    await writeInside(root, name, 'text', { maxBytes })
    expect(await readInside(root, name, { maxBytes })).toBe('text')
    expect(await readdir(root)).toEqual([name])
  })

  test('stays executable when it is written again', async () => {
    await writeInside(root, 'run.sh', 'one', { maxBytes })
    await chmod(inRoot('run.sh'), 0o755)
    await writeInside(root, 'run.sh', 'two', { maxBytes })
    expect((await stat(inRoot('run.sh'))).mode & 0o777).toBe(0o755)
  })

  test('is moved, and so is a directory, to a name that is free', async () => {
    await writeInside(root, 'change/plan.md', 'plan', { maxBytes })
    await moveInside(root, 'change', 'archive/2026/change')
    expect(await readInside(root, 'archive/2026/change/plan.md', { maxBytes })).toBe('plan')
    await writeInside(root, 'other', 'x', { maxBytes })
    await expect(moveInside(root, 'other', 'archive/2026/change/plan.md')).rejects.toThrow('exists already')
    await expect(moveInside(root, 'gone', 'there')).rejects.toThrow('gone does not exist')
  })
})

test('a file is looked at; what is missing, no file, or behind a link is none', async () => {
  await writeInside(root, 'a/file', 'text', { maxBytes })
  await symlink('a/file', inRoot('link'))
  await symlink(join(directory, 'outside'), inRoot('way'))
  expect(await lookInside(root, 'a/file')).toMatchObject({ size: 4 })
  for (const path of ['gone', 'gone/too', 'a', 'link', 'way/secret', '../outside/secret'])
    expect(await lookInside(root, path)).toBeUndefined()
})

describe('a path is refused', () => {
  test.each([
    ['/etc/passwd', 'is an absolute path'],
    ['../outside/secret', 'leads out of its directory (..)'],
    ['a/../../outside/secret', 'leads out of its directory (..)'],
    ['a/../b', 'leads out of its directory (..)'],
    ['.git/config', 'is in a git directory'],
    ['.GIT/hooks/pre-commit', 'is in a git directory'],
    ['sub/.Git', 'is in a git directory'],
    ['.g\u200Cit/config', 'is in a git directory'],
    ['GIT~1/config', 'is in a git directory'],
    ['', 'is not the path of a file'],
    ['.', 'is not the path of a file'],
    ['a//b', 'is not the path of a file'],
    ['a/', 'is not the path of a file'],
    ['a\0b', 'holds a NUL character'],
  ])('for what it is: %j', async (path, reason) => {
    for (const error of await everyWay(path)) {
      expect(error).toBeInstanceOf(UnsafePathError)
      expect(error).toMatchObject({ path, reason })
    }
  })

  test('if a directory on the way is a symbolic link', async () => {
    await symlink(join(directory, 'outside'), inRoot('link'))
    for (const error of await everyWay('link/secret')) {
      expect(error).toMatchObject({ name: 'UnsafePathError', path: 'link', reason: 'is a symbolic link' })
    }
    expect(await secret()).toBe('secret')
    expect(await readdir(join(directory, 'outside'))).toEqual(['secret'])
  })

  test.each(['../outside/secret', '../outside/new', 'inner'])(
    'if it is a symbolic link, to %s',
    async (target) => {
      await writeFile(inRoot('inner'), 'inner')
      await symlink(target, inRoot('link'))
      const [write, read, moveFrom] = await everyWay('link')
      for (const error of [write, read, moveFrom]) {
        expect(error).toMatchObject({ path: 'link', reason: 'is a symbolic link' })
      }
      expect(await secret()).toBe('secret')
      expect(await readdir(join(directory, 'outside'))).toEqual(['secret'])
    },
  )

  test('if a file is where a directory should be', async () => {
    await writeFile(inRoot('file'), 'x')
    const [write, read] = await everyWay('file/below')
    for (const error of [write, read])
      expect(error).toMatchObject({ path: 'file', reason: 'is not a directory' })
  })

  test.each(['n'.repeat(256), `${'n'.repeat(256)}/below`])('if a name in it is too long', async (path) => {
    const [write, read, moveFrom, moveTo] = await everyWay(path)
    for (const error of [write, read, moveFrom, moveTo])
      expect(error).toMatchObject({ path: 'n'.repeat(256), reason: 'has a name that is too long' })
    expect(await lookInside(root, path)).toBeUndefined()
  })

  test('if it is a directory', async () => {
    await mkdir(inRoot('folder'))
    await expect(writeInside(root, 'folder', 'x', { maxBytes })).rejects.toThrow('is not a regular file')
    await expect(readInside(root, 'folder', { maxBytes })).rejects.toThrow('is not a regular file')
  })

  test('if it is a named pipe, without waiting for anybody', async () => {
    execFileSync('mkfifo', [inRoot('pipe')])
    const [write, read, moveFrom] = await everyWay('pipe')
    for (const error of [write, read, moveFrom])
      expect(error).toMatchObject({ reason: 'is not a regular file' })
  })

  test('if what is in it, or should be, is too large', async () => {
    await writeFile(inRoot('large'), 'x'.repeat(maxBytes + 1))
    const reason = 'is too large (1001 bytes, at most 1000)'
    await expect(readInside(root, 'large', { maxBytes })).rejects.toMatchObject({ reason })
    await expect(writeInside(root, 'new', 'x'.repeat(1001), { maxBytes })).rejects.toMatchObject({ reason })
    expect(await readdir(root)).toEqual(['large'])
  })
})

test('a second name of a file outside is replaced and not written through', async () => {
  await link(join(directory, 'outside', 'secret'), inRoot('hard'))
  await writeInside(root, 'hard', 'mine', { maxBytes })
  expect([await secret(), await readInside(root, 'hard', { maxBytes })]).toEqual(['secret', 'mine'])
})
