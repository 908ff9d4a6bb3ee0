import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { memoryRun } from '../../test/support/memory-journal.ts'
import { systemClock } from '../platform/clock.ts'
import { startingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'

test('whoever hears that something could not be got ready can be sure that git is at work no more', async () => {
  const { root, repo, task, start } = await makeTask()
  await writeFiles(root, { 'new.txt': 'new\n' })
  await gitIn(root, 'add', 'new.txt')
  const tree = await gitIn(root, 'write-tree')
  // Nobody has it any more.
  await gitIn(root, 'reset', '--quiet')
  await gitIn(root, 'prune')
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  const site = { task, repo, clock: systemClock } as object as Site
  const meanwhile = async (): Promise<void> => {
    throw new Error('the disk is full')
  }
  const beginning = startingPoint(memoryRun().open(), site, { key: 'one#1', last: { tip: start }, meanwhile })
  await expect(beginning).rejects.toThrow('the disk is full')
  expect(existsSync(join(task.engineDir, 'objects', tree.slice(0, 2), tree.slice(2)))).toBe(true)
})
