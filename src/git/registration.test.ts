import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { treeOf } from './worktree-tree.ts'
import { publishIndex, readyIndex } from './registration.ts'

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

test('what is staged in an index that is split over two files can be read by a person afterwards', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  const next = await commitAll(task.worktree, 'next')
  await gitIn(task.worktree, 'reset', '--quiet', '--hard', start)
  await gitIn(task.worktree, 'config', 'core.splitIndex', 'true')
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  await gitIn(task.worktree, 'add', 'theirs.txt')
  const index = await readyIndex(task, start, next)
  await gitIn(task.worktree, 'update-ref', 'refs/heads/task/1-demo', next)
  await index.publish()
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only')).toBe('theirs.txt')
})

test('what a power cut has made of the note about the last publication says nothing', async () => {
  const { task, start } = await makeTask()
  await writeFile(join(task.stateDir, 'published-index.json'), '\0'.repeat(40))
  await publishIndex(task, start)
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
})
