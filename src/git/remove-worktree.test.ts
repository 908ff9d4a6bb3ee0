import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { saveWorktree, type Saved } from './remove-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'

test('a lock that a killed engine left on its index keeps git from nothing: the worktree is saved as a snapshot', async () => {
  const { root, task } = await makeTask()
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  writeFileSync(join(task.engineDir, 'index.lock'), '')
  const saved = await save(task)
  expect(saved).toMatchObject({ type: 'saved', bytes: 0 })
  const { ref } = saved.type === 'saved' ? saved.snapshot : { ref: '' }
  expect(await gitIn(root, 'show', `${ref}:new.txt`)).toBe('new')
})

test('what is staged in an index that is split over two files is kept with the worktree', async () => {
  const { root, task } = await makeTask()
  await gitIn(task.worktree, 'config', 'core.splitIndex', 'true')
  await gitIn(task.worktree, 'update-index', '--split-index')
  await writeFiles(task.worktree, { 'README.md': 'staged\n' })
  await gitIn(task.worktree, 'add', 'README.md')
  await writeFiles(task.worktree, { 'README.md': 'changed after\n' })
  const saved = await save(task)
  const kept = saved.type === 'saved' ? saved.more : []
  const texts = await Promise.all(kept.map(({ ref }) => gitIn(root, 'show', `${ref}:README.md`)))
  expect(texts).toEqual(['staged'])
})

function save(task: TaskWorkspace): Promise<Saved> {
  return saveWorktree(task, {
    ...{ maxBytes: 0, dropIgnored: false, note: { message: 'Saved\n', date: '2026-01-01T00:00:00Z' } },
    archives: () => ({ files: join(task.stateDir, 'f.tar'), modules: join(task.stateDir, 'm.tar') }),
  })
}
