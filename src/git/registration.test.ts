import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { treeOf } from './worktree-tree.ts'
import { readyIndex } from './registration.ts'

test('what a person stages between the look at the index and its publication stays staged', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  await treeOf(task)
  const index = await readyIndex(task, start)
  await gitIn(task.worktree, 'add', 'theirs.txt')
  await index.publish()
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only')).toBe('theirs.txt')
  expect((await readdir(task.registration)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('an index that was made ready for nothing leaves nothing', async () => {
  const { task, start } = await makeTask()
  const index = await readyIndex(task, start)
  await index.drop()
  expect((await readdir(task.registration)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
