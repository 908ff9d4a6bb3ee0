import { execFileSync } from 'node:child_process'
import { access, link, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitEnvironment, gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { systemClock } from '../platform/clock.ts'
import { syncWithPerson } from './moved-by-person.ts'
import { openTaskWorkspace, type TaskWorkspace } from './task-workspace.ts'
import { treeOf } from './worktree-tree.ts'
import { lastAttempt, publishIndex, readyIndex, type Move } from './publish-index.ts'

test('what a person stages between the look at the index and its publication stays staged', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  await treeOf(task)
  const index = await readyIndex(task, { from: start, to: start })
  await gitIn(task.worktree, 'add', 'theirs.txt')
  await index.publish()
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only')).toBe('theirs.txt')
  expect((await readdir(task.registration)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('what a person stages right after a publication stays staged at the next one', async () => {
  const { task, start } = await makeTask()
  const next = await moveOn(task)
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  const index = await readyIndex(task, { from: start, to: next })
  const published = index.publish()
  // Before the engine gets another turn.
  execFileSync('git', ['-C', task.worktree, 'add', 'theirs.txt'], { env: gitEnvironment })
  await published
  await writeFiles(task.worktree, { 'theirs.txt': 'changed after\n' })
  await publishIndex(task, { from: next, to: await stepFrom(task, next) })
  expect(await gitIn(task.worktree, 'show', ':theirs.txt')).toBe('staged')
})

test('an index that was made ready for nothing leaves nothing', async () => {
  const { task, start } = await makeTask()
  const index = await readyIndex(task, { from: start, to: start })
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
  const index = await readyIndex(task, { from: start, to: next })
  await gitIn(task.worktree, 'update-ref', 'refs/heads/task/1-demo', next)
  await index.publish()
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only')).toBe('theirs.txt')
})

test('what a power cut has made of the note about the last publication says nothing', async () => {
  const { task, start } = await makeTask()
  await writeFile(join(task.stateDir, 'published-index.json'), '\0'.repeat(40))
  await publishIndex(task, { from: start, to: start })
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
})

test('what a person is staging while an index is published stays staged, and takes nothing back', async () => {
  const { task, start } = await makeTask()
  const next = await moveOn(task)
  const index = await readyIndex(task, { from: start, to: next })
  const slow = await addSlowly(task, 'theirs.txt')
  const published = index.publish()
  await slow.goOn()
  await published
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only', 'HEAD')).toBe('theirs.txt')
  expect(await strays(task)).toEqual([])
})

test('an index that git has held for long is left alone, and the next step brings it up to date', async () => {
  const { task, start } = await makeTask()
  const next = await moveOn(task)
  await publishWhileHeld(task, { from: start, to: next })
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only', 'HEAD')).toBe('new.txt')
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  await gitIn(task.worktree, 'add', 'theirs.txt')
  const last = await stepFrom(task, next)
  await publishIndex(task, { from: next, to: last })
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only', 'HEAD')).toBe('theirs.txt')
  expect(await strays(task)).toEqual([])
})

test('an index that git has held is tried once more at the end, and not taken back from where it is by then', async () => {
  const { task, start } = await makeTask()
  const next = await moveOn(task)
  const lock = join(task.registration, 'index.lock')
  await writeFile(lock, '')
  await utimes(lock, 1, 1)
  await publishIndex(task, { from: start, to: next })
  expect(await lastAttempt(task.stateDir)).toMatchObject({ tip: next })
  await rm(lock)
  expect(await lastAttempt(task.stateDir)).toBe(undefined)
  expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
  await publishWhileHeld(task, { from: next, to: await stepFrom(task, next) })
  const last = await gitIn(task.worktree, 'rev-parse', 'HEAD')
  const after = await stepFrom(task, last, 'after.txt')
  await publishIndex(task, { from: last, to: after })
  const published = await readFile(join(task.registration, 'index'))
  expect(await lastAttempt(task.stateDir)).toBe(undefined)
  expect(await readFile(join(task.registration, 'index'))).toEqual(published)
})

test('an index that git has held, and a person has put right since, takes nothing of later steps back', async () => {
  const { task, start } = await makeTask()
  const next = await moveOn(task)
  await publishWhileHeld(task, { from: start, to: next })
  await gitIn(task.worktree, 'reset', '--quiet')
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  await gitIn(task.worktree, 'add', 'theirs.txt')
  const last = await stepFrom(task, next, 'new.txt')
  await publishIndex(task, { from: next, to: last })
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only', 'HEAD')).toBe('theirs.txt')
})

test('a file that a person has committed, and staged again, stays so when a step has changed others', async () => {
  const { task, start } = await makeTask()
  await writeFiles(task.worktree, { 'theirs.txt': 'committed\n' })
  const theirs = await commitAll(task.worktree, 'theirs')
  await writeFiles(task.worktree, { 'theirs.txt': 'staged\n' })
  await gitIn(task.worktree, 'add', 'theirs.txt')
  await writeFiles(task.worktree, { 'theirs.txt': 'committed\n' })
  await syncWithPerson(task, { lastKnown: start, tip: theirs })
  const last = await stepFrom(task, theirs)
  await publishIndex(task, { from: theirs, to: last })
  expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only', 'HEAD')).toBe('theirs.txt')
  expect(await gitIn(task.worktree, 'show', ':theirs.txt')).toBe('staged')
})

test('a lock that an engine took and did not live to give back is removed with its draft; that of others stays', async () => {
  const { task, repo, spec } = await makeTask()
  const [lock, draft] = [join(task.registration, 'index.lock'), join(task.registration, 'index.ab12.tmp')]
  await writeFile(lock, '')
  await writeFile(draft, 'draft')
  await openTaskWorkspace(repo, spec)
  expect(await strays(task)).toEqual(['index.lock'])
  await rm(lock)
  await writeFile(draft, 'draft')
  await link(draft, lock)
  await openTaskWorkspace(repo, spec)
  expect(await strays(task)).toEqual([])
  await link(join(task.registration, 'index'), lock)
  await openTaskWorkspace(repo, spec)
  expect(await strays(task)).toEqual([])
})

/** A step that has committed a file: the branch and the engine's index are there, the person's index is not. */
async function moveOn(task: TaskWorkspace): Promise<string> {
  const index = join(task.registration, 'index')
  const before = await readFile(index)
  await writeFiles(task.worktree, { 'new.txt': 'new\n' })
  const next = await commitAll(task.worktree, 'next')
  await writeFile(index, before)
  await treeOf(task)
  return next
}

/** With a lock in the way that a git left long ago; it is still there afterwards, and then removed by its owner. */
async function publishWhileHeld(task: TaskWorkspace, move: Move): Promise<void> {
  const lock = join(task.registration, 'index.lock')
  await writeFile(lock, '')
  await utimes(lock, 1, 1)
  await publishIndex(task, move)
  await access(lock)
  await rm(lock)
}

/** Another one, of which neither index knows yet. */
async function stepFrom(
  { worktree, branch, repo }: TaskWorkspace,
  tip: string,
  file = 'step.txt',
): Promise<string> {
  await gitIn(repo.root, 'switch', '--quiet', '--detach', tip)
  await writeFiles(repo.root, { [file]: 'step\n' })
  await gitIn(repo.root, 'add', file)
  await gitIn(repo.root, 'commit', '--quiet', '-m', 'step')
  const commit = await gitIn(repo.root, 'rev-parse', 'HEAD')
  await gitIn(worktree, 'update-ref', `refs/heads/${branch}`, commit)
  return commit
}

/** A `git add` that has taken the lock, and waits in a filter until it may go on. */
async function addSlowly(task: TaskWorkspace, file: string): Promise<{ goOn(): Promise<void> }> {
  const gate = join(task.stateDir, 'gate')
  await gitIn(
    task.worktree,
    'config',
    'filter.slow.clean',
    `while ! [ -e '${gate}' ]; do sleep 0.01; done; cat`,
  )
  await writeFiles(task.stateDir, { attributes: `${file} filter=slow\n` })
  await writeFiles(task.worktree, { [file]: 'staged\n' })
  const attributes = `core.attributesFile=${join(task.stateDir, 'attributes')}`
  const added = gitIn(task.worktree, '-c', attributes, 'add', file)
  while (!(await readdir(task.registration)).includes('index.lock')) await systemClock.sleep(5)
  return {
    async goOn() {
      await writeFile(gate, '')
      await added
    },
  }
}

async function strays(task: TaskWorkspace): Promise<string[]> {
  return (await readdir(task.registration)).filter((name) => /\.(?:tmp|lock)$/.test(name))
}
