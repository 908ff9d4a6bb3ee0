import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeTask, writeFiles, type Files, type TestTask } from '../../test/support/git.ts'
import { treeOf } from './worktree-tree.ts'
import { importCommits } from './import.ts'
import { mergeBase, type MergeResult } from './merge.ts'
import { openPrivateDir, type PrivateDir } from './private-dir.ts'
import { restoreTree } from './restore.ts'

const signed = {
  message: 'Merge main into task/1-demo',
  author: { name: 'Baton', email: 'baton@localhost' },
  date: '2026-01-02T03:04:05Z',
}

interface Merging extends TestTask {
  readonly base: string
  readonly tip: string
  merge(name?: string): Promise<{ side: PrivateDir; result: MergeResult }>
}

/** `ours` on the task branch, `theirs` on main. */
async function merging(ours: Files, theirs: Files): Promise<Merging> {
  const demo = await makeTask({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n' })
  const { task, root } = demo
  await writeFiles(task.worktree, ours)
  const tip = await commitAll(task.worktree, 'ours')
  await writeFiles(root, theirs)
  await gitIn(root, 'add', '.', ':!.baton')
  await gitIn(root, 'commit', '--quiet', '--allow-empty', '-m', 'theirs')
  const base = await gitIn(root, 'rev-parse', 'HEAD')
  async function merge(name = 'merge'): Promise<{ side: PrivateDir; result: MergeResult }> {
    await treeOf(task)
    const side = await openPrivateDir(task, { name, tip, mergeHead: base })
    return { side, result: await mergeBase(task, { private: side, base, ...signed }) }
  }
  return { ...demo, base, tip, merge }
}

test('R001-75: a clean merge is a commit of both sides, which can cross', async () => {
  const demo = await merging({ 'ours.txt': 'o\n' }, { 'theirs.txt': 't\n' })
  const { side, result } = await demo.merge()
  if (result.type !== 'clean') throw new Error(result.type)
  expect(await gitIn(demo.task.worktree, 'log', '-1', '--format=%P %an %s')).toBe(
    `${demo.tip} ${demo.base} Baton Merge main into task/1-demo`,
  )
  expect((await readdir(demo.task.worktree)).toSorted()).toEqual([
    '.git',
    'a.txt',
    'b.txt',
    'ours.txt',
    'theirs.txt',
  ])
  const request = {
    from: side.path,
    tip: result.tip,
    last: demo.tip,
    base: demo.base,
    snapshot: 'refs/baton/r1/1',
  }
  expect(await importCommits(demo.task, request)).toMatchObject({
    type: 'imported',
    commits: [{ id: result.tip }],
  })
})

test('git-flow rule 4: the same merge made again is the same commit', async () => {
  const demo = await merging({ 'ours.txt': 'o\n' }, { 'theirs.txt': 't\n' })
  const first = await demo.merge('one')
  await restoreTree(demo.task, { to: demo.tip, message: 'again', date: signed.date })
  const second = await demo.merge('two')
  expect(second.result).toEqual(first.result)
})

test('R001-75: a base that is in already needs no merge', async () => {
  const demo = await makeTask()
  const side = await openPrivateDir(demo.task, { name: 'merge', tip: demo.start, mergeHead: demo.start })
  expect(await mergeBase(demo.task, { private: side, base: demo.start, ...signed })).toEqual({
    type: 'up_to_date',
  })
})

test('C-16, git-flow rule 4: a conflict stays under way for an agent to solve, with readable marks', async () => {
  const demo = await merging({ 'a.txt': '1\nours\n3\n' }, { 'a.txt': '1\ntheirs\n3\n' })
  const { side, result } = await demo.merge()
  expect(result).toMatchObject({ type: 'conflict', paths: ['a.txt'] })
  if (result.type === 'conflict') expect(result.text).toContain('++>>>>>>> BASE_HEAD')
  expect(await side.mergeUnderWay()).toBe(true)
  expect(await readFile(join(demo.task.worktree, 'a.txt'), 'utf8')).toContain(
    '<<<<<<< HEAD\nours\n=======\ntheirs\n',
  )
  await gitIn(demo.task.worktree, 'checkout', '--quiet', '--ours', '--', 'a.txt')
  await gitIn(demo.task.worktree, 'add', 'a.txt')
  await gitIn(demo.task.worktree, '-c', 'core.editor=true', 'merge', '--continue')
  expect(await side.mergeUnderWay()).toBe(false)
  expect(await gitIn(demo.task.worktree, 'log', '-1', '--format=%P')).toBe(`${demo.tip} ${demo.base}`)
})

test('who only wants to know of conflicts puts the tree back', async () => {
  const demo = await merging({ 'a.txt': 'ours\n', 'b.txt': 'ours\n' }, { 'a.txt': 'theirs\n' })
  const { side, result } = await demo.merge()
  expect(result.type).toBe('conflict')
  await side.close()
  await restoreTree(demo.task, { to: demo.tip, message: 'conflict', date: signed.date })
  expect(await gitIn(demo.task.worktree, 'status', '--porcelain')).toBe('')
})

test('a very long conflict is cut at a line', async () => {
  const long = (word: string): string => `${word} ${'x'.repeat(90)}\n`.repeat(4000)
  const demo = await merging({ 'a.txt': long('ours') }, { 'a.txt': long('theirs') })
  const { result } = await demo.merge()
  if (result.type !== 'conflict') throw new Error(result.type)
  expect(result.text.length).toBeLessThan(205 * 1024)
  expect(result.text).toMatch(/\n\[cut after \d+ of \d+ bytes\]\n$/)
})

test('the main checkout and its branch are not touched by a merge', async () => {
  const demo = await merging({ 'ours.txt': 'o\n' }, { 'theirs.txt': 't\n' })
  await demo.merge()
  expect(await gitIn(demo.root, 'rev-parse', 'main', 'task/1-demo')).toBe(`${demo.base}\n${demo.tip}`)
})

test('a merge enters no nested repository and runs nothing that was planted in the worktree', async () => {
  const demo = await merging({ '.gitattributes': '* filter=evil merge=evil\n' }, { 'theirs.txt': 't\n' })
  const { root, task } = demo
  const nested = join(task.worktree, 'nested')
  await mkdir(nested)
  await gitIn(nested, 'init', '--quiet')
  await commitAll(nested, 'one')
  const tip = await commitAll(task.worktree, 'with a link')
  const trap = `touch ${root}/TRAPPED`
  await gitIn(root, 'config', 'filter.evil.smudge', trap)
  await gitIn(root, 'config', 'merge.evil.driver', trap)
  await writeFiles(nested, { 'dirty.txt': 'x\n' })
  await gitIn(nested, 'config', 'core.fsmonitor', trap)
  await treeOf(task)
  const side = await openPrivateDir(task, { name: 'merge', tip, mergeHead: demo.base })
  const result = await mergeBase(task, { private: side, base: demo.base, ...signed })
  expect(result.type).toBe('clean')
  expect(await readdir(root)).not.toContain('TRAPPED')
})
