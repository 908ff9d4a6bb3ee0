import { lstat, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { restoreTree, snapshotTree } from './restore.ts'
import { treeOf } from './worktree-tree.ts'

const note = { message: 'Before the restore', date: '2026-01-02T03:04:05Z' }

test('git-flow rule 2: the worktree becomes the tree, ignored files stay, and what was there is a snapshot', async () => {
  const { root, task, start } = await makeTask({ '.gitignore': 'out/\n', 'a.txt': 'a\n', 'gone.txt': 'g\n' })
  await rm(join(task.worktree, 'gone.txt'))
  await writeFiles(task.worktree, { 'a.txt': 'b\n', 'new/n.txt': 'n\n', 'out/o.txt': 'o\n' })
  const snapshot = await restoreTree(task, { to: start, ...note })
  expect(snapshot?.ref).toBe('refs/baton/r1/1')
  expect(await gitIn(root, 'show', 'refs/baton/r1/1:new/n.txt')).toBe('n')
  expect(await readFile(join(task.worktree, 'a.txt'), 'utf8')).toBe('a\n')
  expect(await readFile(join(task.worktree, 'gone.txt'), 'utf8')).toBe('g\n')
  expect(await readFile(join(task.worktree, 'out', 'o.txt'), 'utf8')).toBe('o\n')
  await expect(lstat(join(task.worktree, 'new'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await treeOf(task)).toBe(await gitIn(root, 'rev-parse', `${start}^{tree}`))
})

test('a worktree that is right already is left alone', async () => {
  const { root, task, start } = await makeTask()
  expect(await restoreTree(task, { to: start, ...note })).toBeUndefined()
  expect(await gitIn(root, 'for-each-ref', 'refs/baton/r1/1')).toBe('')
})

test('a snapshot can be restored', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'README.md': 'mine\n', 'new.txt': 'n\n' })
  const snapshot = await snapshotTree(task, note)
  await restoreTree(task, { to: start, ...note })
  await restoreTree(task, { to: snapshot?.commit ?? '', ...note })
  expect(await readFile(join(task.worktree, 'new.txt'), 'utf8')).toBe('n\n')
  expect(await snapshotTree(task, note)).toMatchObject({ commit: snapshot?.commit })
})

test('an ignored file in the way is kept in the snapshot', async () => {
  const { root, task, start } = await makeTask({ 'a.log': 'tracked\n' })
  await rm(join(task.worktree, 'a.log'))
  const without = await snapshotTree(task, note)
  await writeFiles(task.worktree, { '.gitignore': '*.log\n', 'a.log': 'precious\n' })
  expect(without).toBeDefined()
  const snapshot = await restoreTree(task, { to: start, ...note })
  expect(await gitIn(root, 'show', `${snapshot?.ref}:a.log`)).toBe('precious')
  expect(await readFile(join(task.worktree, 'a.log'), 'utf8')).toBe('tracked\n')
})

test('nothing new is no snapshot', async () => {
  const { task } = await makeTask()
  expect(await snapshotTree(task, note)).toBeUndefined()
})
