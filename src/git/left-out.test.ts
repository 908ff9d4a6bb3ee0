import { expect, test } from 'vitest'
import { commitAll, gitEnvironment, gitIn, makeRepository } from '../../test/support/git.ts'
import { commitsLeftOut } from './left-out.ts'
import { discoverRepository } from './repository.ts'

async function asked(root: string, start: string) {
  return commitsLeftOut(await discoverRepository(root, gitEnvironment), start)
}

test('a checkout as the branch begins has nothing more', async () => {
  const root = await makeRepository()
  expect(await asked(root, await gitIn(root, 'rev-parse', 'HEAD'))).toBe(0)
})

test('commits that the beginning does not have are counted, also where both have gone on', async () => {
  const root = await makeRepository()
  await gitIn(root, 'checkout', '--quiet', '-b', 'feature')
  await commitAll(root, 'one')
  await commitAll(root, 'two')
  await gitIn(root, 'checkout', '--quiet', 'main')
  const start = await commitAll(root, 'elsewhere')
  await gitIn(root, 'checkout', '--quiet', 'feature')
  expect(await asked(root, start)).toBe(2)
})
