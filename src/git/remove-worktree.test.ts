import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { saveWorktree } from './remove-worktree.ts'

test('a lock that a killed engine left on its index keeps git from nothing: the worktree is saved as a snapshot', async () => {
  const { root, task } = await makeTask()
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  writeFileSync(join(task.engineDir, 'index.lock'), '')
  const saved = await saveWorktree(task, {
    ...{ maxBytes: 0, dropIgnored: false, note: { message: 'Saved\n', date: '2026-01-01T00:00:00Z' } },
    archives: () => ({ files: join(task.stateDir, 'f.tar'), modules: join(task.stateDir, 'm.tar') }),
  })
  expect(saved).toMatchObject({ type: 'saved', bytes: 0 })
  const { ref } = saved.type === 'saved' ? saved.snapshot : { ref: '' }
  expect(await gitIn(root, 'show', `${ref}:new.txt`)).toBe('new')
})
