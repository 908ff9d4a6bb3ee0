import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { confineGit } from './git-room.ts'
import { looksEnded } from './space-turns.ts'
import { makeTask, writeFiles } from '../../test/support/git.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { treeOf } from './facts.ts'
import { beginLook, takeLook } from './look-ahead.ts'
import { onWorktree } from './on-worktree.ts'

test('a look ahead finds what a look afterwards would, and is taken once', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  beginLook(task)
  const look = await takeLook(task)
  expect(look).toEqual({ tip: start, tree: await treeOf(task) })
  expect(takeLook(task)).toBeUndefined()
})

test('what was done in the worktree since makes it worthless, and waits until it has ended', async () => {
  const { task } = await makeTask()
  beginLook(task)
  // Both would want the same index at the same time.
  await gitInAgentSpace(['read-tree', '--reset', 'HEAD'], { ...onWorktree(task), allowFailure: true })
  await writeFiles(task.worktree, { 'late.txt': 'late\n' })
  expect(takeLook(task)).toBeUndefined()
  expect(await treeOf(task)).toMatch(/^[0-9a-f]{40}$/)
})

test('one that nobody asked for in time is not taken: somebody may have written meanwhile', async () => {
  const { task } = await makeTask()
  beginLook(task)
  await looksEnded()
  expect(takeLook(task, performance.now() + 1000)).toBeUndefined()
})

test('one that is still under way is taken, however long it takes: many files are no reason to look twice', async () => {
  const { task, start } = await makeTask()
  beginLook(task)
  expect(await takeLook(task, performance.now() + 60_000)).toMatchObject({ tip: start })
})

test('nothing is said ahead where it takes more than one look', async () => {
  const { task } = await makeTask()
  await writeFiles(task.worktree, { '.gitmodules': '' })
  beginLook(task)
  expect(await takeLook(task)).toBeUndefined()
})

test('where the run has walls, a look ahead does nothing when they are gone', async () => {
  const { task } = await makeTask()
  let asked = 0
  const rooms = confineGit({
    stateDir: task.stateDir,
    enclose: () => Promise.reject(new Error(`no room, though asked ${++asked} times`)),
  })
  beginLook(task)
  const look = takeLook(task)
  rooms.close()
  expect(await look).toBeUndefined()
  expect(asked).toBe(0)
})

test('who closes the rooms can wait until every look has ended', async () => {
  const { task } = await makeTask()
  beginLook(task)
  await looksEnded()
  expect(existsSync(join(task.engineDir, 'index.lock'))).toBe(false)
  expect(takeLook(task)).toBeDefined()
})
