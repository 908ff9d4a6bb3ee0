import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import { putIndexInPlace } from './index-lock.ts'

test('an index is not replaced if it may not be by the time that the lock is held', async () => {
  const { folder, index, draft } = await makeIndex()
  let locked: readonly string[] = []
  const mayReplace = (): boolean => {
    locked = readdirSync(folder).toSorted()
    return false
  }
  expect(await putIndexInPlace(draft, index, { mayReplace })).toBe('refused')
  expect(locked).toEqual(['index', 'index.1.tmp', 'index.lock'])
  expect(await contents(folder)).toEqual({ index: 'old' })
})

test('where a file can have only one name the lock is a file of its own', async () => {
  const { folder, index, draft } = await makeIndex()
  const link = (): never => {
    throw Object.assign(new Error('not supported'), { code: 'EPERM' })
  }
  let locked = ''
  const mayReplace = (): boolean => {
    locked = readFileSync(`${index}.lock`, 'utf8')
    return true
  }
  expect(await putIndexInPlace(draft, index, { mayReplace, link })).toBe('done')
  expect(locked).toBe('')
  expect(await contents(folder)).toEqual({ index: 'new' })
})

async function makeIndex(): Promise<{ folder: string; index: string; draft: string }> {
  const folder = await makeFolder()
  const [index, draft] = [join(folder, 'index'), join(folder, 'index.1.tmp')]
  await writeFile(index, 'old')
  await writeFile(draft, 'new')
  return { folder, index, draft }
}

async function contents(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  )
}
