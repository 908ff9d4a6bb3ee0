import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { confineGit } from './git-room.ts'
import { looksEnded } from './space-turns.ts'
import { makeTask, writeFiles } from '../../test/support/git.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { commitTree, engineAuthor } from './commit.ts'
import { treeOf } from './worktree-tree.ts'
import { beginLook, beginTree, forgetLooks, takeTip, takeTree } from './look-ahead.ts'
import { onWorktree } from './on-worktree.ts'

test('a look ahead finds what a look afterwards would, and is taken once', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  beginLook(task)
  const [seen, tree] = await Promise.all([takeTip(task), takeTree(task)])
  expect([seen?.tip, tree]).toEqual([start, await treeOf(task)])
  expect([takeTip(task), takeTree(task)]).toEqual([undefined, undefined])
})

test('what was done in the worktree since makes it worthless, and waits until it has ended', async () => {
  const { task } = await makeTask()
  beginLook(task)
  // Both would want the same index at the same time.
  await gitInAgentSpace(['read-tree', '--reset', 'HEAD'], { ...onWorktree(task), allowFailure: true })
  await writeFiles(task.worktree, { 'late.txt': 'late\n' })
  expect(takeTree(task)).toBeUndefined()
  expect(await treeOf(task)).toMatch(/^[0-9a-f]{40}$/)
})

test('a commit is made meanwhile, for it touches neither the index nor the files', async () => {
  const { task, start } = await makeTask()
  beginTree(task)
  const date = '2026-01-01T00:00:00.000Z'
  const tree = `${start}^{tree}`
  await commitTree(task, { tree, parents: [start], message: 'm', author: engineAuthor, date })
  expect(await takeTree(task)).toBe(await treeOf(task))
})

test('the worktree is not looked at again when the branch has moved, unless something was done there', async () => {
  const { task } = await makeTask()
  beginTree(task)
  await writeFiles(task.worktree, { 'seen-by-the-second.txt': '' })
  await gitInAgentSpace(['read-tree', '--reset', 'HEAD'], { ...onWorktree(task), allowFailure: true })
  beginLook(task)
  expect(await takeTree(task)).toBe(await treeOf(task))
})

test('one that nobody asked for in time is not taken: somebody may have written meanwhile', async () => {
  const { task } = await makeTask()
  beginLook(task)
  await looksEnded()
  const later = performance.now() + 1000
  expect([takeTip(task, later), takeTree(task, later)]).toEqual([undefined, undefined])
})

test('one that is still under way is taken, however long it takes: many files are no reason to look twice', async () => {
  const { task, start } = await makeTask()
  beginLook(task)
  const later = performance.now() + 60_000
  expect(await takeTip(task, later)).toEqual({ tip: start })
  expect(await takeTree(task, later)).toMatch(/^[0-9a-f]{40}$/)
})

test("what was seen before it was a person's turn says nothing afterwards", async () => {
  const { task } = await makeTask()
  beginLook(task)
  await looksEnded()
  await writeFiles(task.worktree, { 'by-hand.txt': 'mine\n' })
  forgetLooks()
  expect([takeTip(task), takeTree(task)]).toEqual([undefined, undefined])
})

test('where the run has walls, a look ahead does nothing when they are gone', async () => {
  const { task } = await makeTask()
  let asked = 0
  const rooms = confineGit({
    stateDir: task.stateDir,
    enclose: () => Promise.reject(new Error(`no room, though asked ${++asked} times`)),
  })
  beginLook(task)
  const look = takeTree(task)
  rooms.close()
  expect(await look).toBeUndefined()
  expect(asked).toBe(1)
})

test('who closes the rooms can wait until every look has ended', async () => {
  const { task } = await makeTask()
  beginLook(task)
  await looksEnded()
  expect(existsSync(join(task.engineDir, 'index.lock'))).toBe(false)
  expect(takeTree(task)).toBeDefined()
})
