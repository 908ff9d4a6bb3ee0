import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { treeOf } from './worktree-tree.ts'
import { tipNow } from './look-ahead.ts'
import { syncWithPerson } from './moved-by-person.ts'

test('a branch that nobody has moved is the same', async () => {
  const { task, start } = await makeTask()
  expect(await syncWithPerson(task, { lastKnown: start, tip: await tipNow(task) })).toEqual({ type: 'same' })
})

test("a person's commit in the worktree is taken over", async () => {
  const { root, task, start } = await makeTask()
  await writeFiles(task.worktree, { 'README.md': 'by a person\n' })
  const tip = await commitAll(task.worktree, 'by a person')
  expect(await syncWithPerson(task, { lastKnown: start, tip: await tipNow(task) })).toEqual({
    type: 'forward',
    tip,
  })
  expect(await treeOf(task)).toBe(await gitIn(root, 'rev-parse', `${tip}^{tree}`))
})

test('a file that a person has taken out of git, and kept, stays in the worktree', async () => {
  const { task, start } = await makeTask({ 'a.txt': 'a\n', '.env': 'mine\n' })
  await gitIn(task.worktree, 'rm', '--quiet', '--cached', '.env')
  await writeFiles(task.worktree, { '.gitignore': '.env\n' })
  const tip = await commitAll(task.worktree, 'no longer in git')
  await syncWithPerson(task, { lastKnown: start, tip })
  expect(await readFile(join(task.worktree, '.env'), 'utf8')).toBe('mine\n')
  expect(await treeOf(task)).toBe(await gitIn(task.worktree, 'rev-parse', `${tip}^{tree}`))
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
})

test('a commit of a part of a file is taken over, and the rest of it stays as it is', async () => {
  const { task, start } = await makeTask({ 'a.txt': 'a\n' })
  await writeFiles(task.worktree, { 'a.txt': 'part\n' })
  const tip = await commitAll(task.worktree, 'part')
  await writeFiles(task.worktree, { 'a.txt': 'part and rest\n' })
  expect(await syncWithPerson(task, { lastKnown: start, tip })).toEqual({ type: 'forward', tip })
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe(' M a.txt')
  expect(await readFile(join(task.worktree, 'a.txt'), 'utf8')).toBe('part and rest\n')
})

test('what a person has left out of his commit is not staged for him', async () => {
  const { task, start } = await makeTask({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await writeFiles(task.worktree, { 'a.txt': 'his\n' })
  const tip = await commitAll(task.worktree, 'his')
  await writeFiles(task.worktree, { 'b.txt': 'left out\n' })
  await syncWithPerson(task, { lastKnown: start, tip })
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe(' M b.txt')
})

test('git-flow rule 9: a commit that came from elsewhere is brought into the worktree, other edits stay', async () => {
  const { root, task, start } = await makeTask({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await writeFiles(root, { 'a.txt': 'pushed\n' })
  await gitIn(root, 'add', 'a.txt')
  await gitIn(root, 'commit', '--quiet', '-m', 'elsewhere')
  const tip = await gitIn(root, 'rev-parse', 'HEAD')
  await gitIn(root, 'update-ref', 'refs/heads/task/1-demo', tip)
  await writeFiles(task.worktree, { 'b.txt': 'edited\n' })
  expect(await syncWithPerson(task, { lastKnown: start, tip: await tipNow(task) })).toEqual({
    type: 'forward',
    tip,
  })
  expect(await readFile(join(task.worktree, 'a.txt'), 'utf8')).toBe('pushed\n')
  expect(await readFile(join(task.worktree, 'b.txt'), 'utf8')).toBe('edited\n')
})

test('a branch that was rewritten stops the run with both commits named', async () => {
  const { task, start } = await makeTask()
  await gitIn(task.worktree, 'commit', '--quiet', '--amend', '-m', 'rewritten')
  const found = await gitIn(task.worktree, 'rev-parse', 'HEAD')
  await expect(syncWithPerson(task, { lastKnown: start, tip: await tipNow(task) })).rejects.toMatchObject({
    code: 'branch.diverged',
    exitCode: 3,
    message: expect.stringMatching(new RegExp(`${found}.*${start}`)) as string,
  })
})

test('a branch that was deleted stops the run', async () => {
  const { root, task, start } = await makeTask()
  await gitIn(root, 'update-ref', '-d', 'refs/heads/task/1-demo')
  await expect(syncWithPerson(task, { lastKnown: start, tip: await tipNow(task) })).rejects.toMatchObject({
    code: 'branch.missing',
    exitCode: 3,
  })
})
