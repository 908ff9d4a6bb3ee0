import { expect, test } from 'vitest'
import { commitAll, gitEnvironment, gitIn, makeRepository, writeFiles } from '../../test/support/git.ts'
import { leftOut } from './left-out.ts'
import { discoverRepository } from './repository.ts'

async function asked(root: string, start: string) {
  return leftOut(await discoverRepository(root, gitEnvironment), start, gitEnvironment)
}

test('a checkout as the branch begins has nothing more; files that git does not know are not counted', async () => {
  const root = await makeRepository()
  await writeFiles(root, { 'notes.txt': 'mine\n' })
  expect(await asked(root, await gitIn(root, 'rev-parse', 'HEAD'))).toBeUndefined()
})

test('commits that the beginning does not have are counted, also where both have gone on', async () => {
  const root = await makeRepository()
  await gitIn(root, 'checkout', '--quiet', '-b', 'feature')
  await commitAll(root, 'one')
  await commitAll(root, 'two')
  await gitIn(root, 'checkout', '--quiet', 'main')
  const start = await commitAll(root, 'elsewhere')
  await gitIn(root, 'checkout', '--quiet', 'feature')
  expect(await asked(root, start)).toEqual({ commits: 2, files: 0 })
})

test('changes that are not committed are counted: written, staged, removed, renamed', async () => {
  const root = await makeRepository({ a: 'a\n', b: 'b\n', 'c\nd': 'c\n' })
  await writeFiles(root, { a: 'changed\n', new: 'staged\n' })
  await gitIn(root, 'add', 'new')
  await gitIn(root, 'rm', '--quiet', 'b')
  await gitIn(root, 'mv', 'c\nd', 'e')
  const before = await gitIn(root, 'status', '--porcelain')
  expect(await asked(root, await gitIn(root, 'rev-parse', 'HEAD'))).toEqual({ commits: 0, files: 5 })
  expect(await gitIn(root, 'status', '--porcelain')).toBe(before)
})
