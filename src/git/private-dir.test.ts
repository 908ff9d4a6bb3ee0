import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeTask, testPerson, writeFiles } from '../../test/support/git.ts'
import { draftPrivateDir, dropDraft, openPrivateDir } from './private-dir.ts'

test('R001-83: the agent sees one branch and nothing else', async () => {
  const { root, task, start } = await makeTask()
  await gitIn(root, 'branch', 'other')
  await openPrivateDir(task, { name: 'one', tip: start })
  expect(await gitIn(task.worktree, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/task/1-demo')
  expect(await gitIn(task.worktree, 'status', '--porcelain', '--branch')).toBe('## task/1-demo')
})

test('R001-83: what the agent commits changes nothing in the main repository', async () => {
  const { root, task, start } = await makeTask()
  const before = await gitIn(root, 'for-each-ref')
  const side = await openPrivateDir(task, { name: 'one', tip: start, identity: testPerson })
  await writeFiles(task.worktree, { 'a.txt': 'a\n' })
  const commit = await commitAll(task.worktree, 'by the agent')
  await gitIn(task.worktree, 'branch', '-f', 'main', commit)
  expect(await side.tip()).toBe(commit)
  expect(await gitIn(root, 'for-each-ref')).toBe(before)
  await expect(gitIn(root, 'cat-file', '-e', commit)).rejects.toThrow()
})

test('one that was drafted early knows what the engine has learned about files since', async () => {
  const { task, start } = await makeTask()
  await draftPrivateDir(task)
  await appendFile(join(task.engineDir, 'info', 'attributes'), '/odd.txt -text\n')
  const { path } = await openPrivateDir(task, { name: 'one', tip: start })
  expect(await readFile(join(path, 'info', 'attributes'), 'utf8')).toContain('/odd.txt -text\n')
  expect(await readdir(dirname(path))).toEqual(['one'])
})

test('what was drafted for a step that never came leaves nothing behind', async () => {
  const { task } = await makeTask()
  await draftPrivateDir(task)
  await dropDraft(task)
  await dropDraft(task)
  expect(await readdir(join(task.stateDir, 'private'))).toEqual([])
})

test('a draft is not for somebody else, and is there for the one that it was made for', async () => {
  const { task, start } = await makeTask()
  await draftPrivateDir(task, testPerson)
  const other = await openPrivateDir(task, { name: 'one', tip: start })
  const own = await openPrivateDir(task, { name: 'two', tip: start, identity: testPerson })
  const names = [other, own].map(async ({ path }) => {
    return (await readFile(join(path, 'config'), 'utf8')).includes(testPerson.name)
  })
  expect(await Promise.all(names)).toEqual([false, true])
  expect(await readdir(join(task.stateDir, 'private'))).toEqual(['one', 'two'])
})

test('closing gives the worktree back, also when done twice', async () => {
  const { task, start } = await makeTask()
  const side = await openPrivateDir(task, { name: 'one', tip: start })
  await side.close()
  await side.close()
  expect((await readFile(join(task.worktree, '.git'), 'utf8')).trimEnd()).toBe(`gitdir: ${task.registration}`)
})

test('every attempt gets a new one; that of a crashed attempt is moved aside', async () => {
  const { task, start } = await makeTask()
  const first = await openPrivateDir(task, { name: 'one', tip: start })
  await commitAll(task.worktree, 'lost?')
  const second = await openPrivateDir(task, { name: 'one', tip: start })
  expect([second.path, await second.tip()]).toEqual([first.path, start])
  expect(await readdir(join(task.stateDir, 'private'))).toEqual(['one', 'one-2'])
})

test('a second process of the same attempt goes on in the same one', async () => {
  const { task, start } = await makeTask()
  const first = await openPrivateDir(task, { name: 'one', tip: start })
  const commit = await commitAll(task.worktree, 'first process')
  await first.close()
  const second = await openPrivateDir(task, { name: 'one', tip: start, reuse: true })
  expect(await second.tip()).toBe(commit)
})

test('replacement refs do not change what the tip is', async () => {
  const { task, start } = await makeTask()
  const side = await openPrivateDir(task, { name: 'one', tip: start })
  const honest = await commitAll(task.worktree, 'honest')
  const other = await gitIn(task.worktree, 'commit-tree', '-m', 'other', `${honest}^{tree}`)
  await gitIn(task.worktree, 'replace', honest, other)
  expect(await side.tip()).toBe(honest)
})

test('a branch that the agent has deleted is a failure, not a guess', async () => {
  const { task, start } = await makeTask()
  const side = await openPrivateDir(task, { name: 'one', tip: start })
  await gitIn(task.worktree, 'update-ref', '-d', 'refs/heads/task/1-demo')
  await expect(side.tip()).rejects.toMatchObject({ code: 'private.branch' })
})

test('the user is its committer, and his ignore rules hold', async () => {
  const { root, task, start } = await makeTask()
  await openPrivateDir(task, { name: 'one', tip: start, identity: { name: 'A "B" \\ C', email: 'a@b.c' } })
  expect(await gitIn(task.worktree, 'config', 'user.name')).toBe('A "B" \\ C')
  await writeFile(join(root, 'unrelated'), '')
  await writeFiles(task.worktree, { '.baton/x': 'x' })
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
})
