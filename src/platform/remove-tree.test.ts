import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeTree } from './remove-tree.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'baton remove\n'))
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})
const at = (name: string): string => join(directory, name)

test('a folder goes with all that is in it, whatever its name; what links in it lead to stays', async () => {
  await mkdir(at("tree's/-rf/deep"), { recursive: true })
  await mkdir(at('elsewhere'))
  await writeFile(at('elsewhere/kept'), 'kept')
  await writeFile(at("tree's/-rf/deep/file"), '')
  await symlink(at('elsewhere'), at("tree's/link"))
  await removeTree(at("tree's"))
  expect(existsSync(at("tree's"))).toBe(false)
  expect(await readFile(at('elsewhere/kept'), 'utf8')).toBe('kept')
})

test('a link goes itself, not what it leads to', async () => {
  await mkdir(at('elsewhere'))
  await symlink(at('elsewhere'), at('link'))
  await removeTree(at('link'))
  expect(existsSync(at('elsewhere'))).toBe(true)
  await expect(readFile(at('link'))).rejects.toThrow('ENOENT')
})

test('what is not there is no error', async () => {
  await removeTree(at('nothing'))
})

test('what cannot be removed is said', async () => {
  await mkdir(at('tree'))
  await expect(removeTree(`${at('tree')}/.`)).rejects.toThrow('EINVAL')
})
