import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  commitAll,
  gitIn,
  makeRepository,
  makeTask,
  startTask,
  writeFiles,
  type TestTask,
} from '../../test/support/git.ts'
import { changedPaths, isAncestor, readBlob } from './facts.ts'
import { treeOf, treeUpon } from './worktree-tree.ts'
import { openPrivateDir } from './private-dir.ts'

async function changesOf({ task, start }: TestTask): Promise<Record<string, string>> {
  const changes = await changedPaths(task, start, await treeOf(task))
  return Object.fromEntries(changes.map(({ path, change }) => [path, change]))
}

test('an untouched worktree has the tree of its commit', async () => {
  const { root, task } = await makeTask()
  expect(await treeOf(task)).toBe(await gitIn(root, 'rev-parse', 'HEAD^{tree}'))
})

test('everything that changed is seen, whatever it is called; ignored files are not', async () => {
  const demo = await makeTask({
    '.gitignore': 'out/\n',
    'gone.txt': 'x\n',
    'edit.txt': 'x\n',
    'link.txt': 'x\n',
  })
  const { worktree } = demo.task
  await rm(join(worktree, 'gone.txt'))
  await rm(join(worktree, 'link.txt'))
  await symlink('edit.txt', join(worktree, 'link.txt'))
  await writeFiles(worktree, {
    'edit.txt': 'y\n',
    'new dir/a:b.txt': 'n\n',
    'Straße/日本\n語.txt': 'n\n',
    'out/built.js': 'n\n',
    '.baton/state': 'n\n',
  })
  await writeFile(Buffer.concat([Buffer.from(`${worktree}/caf`), Buffer.from([0xe9])]), 'latin\n')
  expect(await changesOf(demo)).toEqual({
    'gone.txt': 'deleted',
    'edit.txt': 'modified',
    'link.txt': 'type',
    'new dir/a:b.txt': 'added',
    'Straße/日本\n語.txt': 'added',
    'caf\\xe9': 'added',
  })
})

test("an agent's lying index hides nothing", async () => {
  const demo = await makeTask({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const { task, start } = demo
  const side = await openPrivateDir(task, { name: 'one', tip: start })
  await gitIn(task.worktree, 'update-index', '--assume-unchanged', 'a.txt')
  await gitIn(task.worktree, 'update-index', '--skip-worktree', 'b.txt')
  await writeFiles(task.worktree, { 'a.txt': 'changed\n', 'b.txt': 'changed\n' })
  await side.close()
  expect(await changesOf(demo)).toEqual({ 'a.txt': 'modified', 'b.txt': 'modified' })
})

const onDistinctNames = test.skipIf(process.platform === 'darwin')

onDistinctNames(
  'names that have changed in their case alone are seen, also where git was told that they are the same',
  async () => {
    const root = await makeRepository({ 'b.txt': 'b\n', 'src/a.txt': 'a\n' })
    await gitIn(root, 'config', 'core.ignorecase', 'true')
    const demo = await startTask(root)
    const { worktree } = demo.task
    await rename(join(worktree, 'b.txt'), join(worktree, 'B.txt'))
    await rename(join(worktree, 'src'), join(worktree, 'Src'))
    expect(await changesOf(demo)).toEqual({
      ...{ 'b.txt': 'deleted', 'B.txt': 'added' },
      ...{ 'src/a.txt': 'deleted', 'Src/a.txt': 'added' },
    })
  },
)

test('a change of the same size in the same second, with its time put back, is seen', async () => {
  const demo = await makeTask({ 'a.txt': 'aaa\n' })
  const path = join(demo.task.worktree, 'a.txt')
  const now = new Date()
  await writeFile(path, 'bbb\n')
  await utimes(path, now, now)
  expect(await changesOf(demo)).toEqual({ 'a.txt': 'modified' })
})

test('git-flow rule 3: nested repositories are never entered, and their files are files of the worktree', async () => {
  const demo = await makeTask()
  const { worktree } = demo.task
  const trap = join(demo.root, 'TRAPPED')
  for (const name of ['nested', 'deep/er/nested']) {
    await mkdir(join(worktree, name), { recursive: true })
    await gitIn(join(worktree, name), 'init', '--quiet')
    await writeFiles(join(worktree, name), { f: 'f\n' })
    await commitAll(join(worktree, name), 'nested')
    await gitIn(join(worktree, name), 'config', 'core.fsmonitor', `touch ${trap}`)
  }
  await mkdir(join(worktree, 'empty'))
  await gitIn(join(worktree, 'empty'), 'init', '--quiet')
  await writeFiles(worktree, { 'beside.txt': 'x\n' })
  const found = { 'beside.txt': 'added', 'deep/er/nested/f': 'added', 'nested/f': 'added' }
  expect(await changesOf(demo)).toEqual(found)
  await writeFiles(worktree, { 'nested/f': 'changed\n', 'nested/more.txt': 'x\n' })
  expect(await changesOf(demo)).toEqual({ ...found, 'nested/more.txt': 'added' })
  expect(await readdir(demo.root)).not.toContain('TRAPPED')
})

test('a nested repository that was committed as a link keeps its place and is not entered', async () => {
  const demo = await makeTask()
  const { task, root } = demo
  const nested = join(task.worktree, 'sub')
  await mkdir(nested)
  await gitIn(nested, 'init', '--quiet')
  await commitAll(nested, 'one')
  await commitAll(task.worktree, 'with a submodule')
  const tree = await gitIn(task.worktree, 'rev-parse', 'HEAD^{tree}')
  await gitIn(nested, 'config', 'core.fsmonitor', `touch ${root}/TRAPPED`)
  await commitAll(nested, 'two')
  await rm(join(root, 'TRAPPED'), { force: true })
  expect(await treeOf(task)).toBe(tree)
  expect(await readdir(root)).not.toContain('TRAPPED')
})

test('a filter named by .gitattributes does not run on the host', async () => {
  const demo = await makeTask()
  const { root, task } = demo
  await gitIn(root, 'config', 'filter.evil.clean', `touch ${root}/TRAPPED; cat`)
  await writeFiles(task.worktree, { '.gitattributes': '* filter=evil\n', 'a.txt': 'a\n' })
  expect(Object.keys(await changesOf(demo))).toEqual(['.gitattributes', 'a.txt'])
  expect(await readdir(root)).not.toContain('TRAPPED')
})

test('a file is read from the main repository as of a commit', async () => {
  const { repo, start } = await makeTask({ 'dir/a: ü.md': 'text ü\n' })
  expect([
    await readBlob(repo, start, 'dir/a: ü.md'),
    await readBlob(repo, start, 'dir'),
    await readBlob(repo, start, 'missing.md'),
  ]).toEqual(['text ü\n', undefined, undefined])
})

test('ancestry is read from the main repository', async () => {
  const { root, repo, start } = await makeTask()
  const next = await commitAll(root, 'second')
  expect([await isAncestor(repo, start, next), await isAncestor(repo, next, start)]).toEqual([true, false])
})

test('upon a commit, a file that it tracks although it is ignored stays tracked', async () => {
  const { root, task, start } = await makeTask({ '.gitignore': 'out/\n', 'a.txt': 'x\n' })
  await writeFiles(task.worktree, { 'out/kept.js': 'n\n' })
  const own = await openPrivateDir(task, {
    name: 'one',
    tip: start,
    identity: { name: 'A', email: 'a@b.invalid' },
  })
  await gitIn(task.worktree, 'add', '-f', 'out/kept.js')
  await gitIn(task.worktree, 'commit', '-qm', 'forced')
  const tip = await own.tip()
  await own.close()
  await gitIn(root, 'fetch', '-q', own.path, `${tip}:refs/heads/forced`)
  expect(await treeUpon(task, tip)).toBe(await gitIn(root, 'rev-parse', 'forced^{tree}'))
})

test('upon a commit, what was staged before and has changed since is no obstacle', async () => {
  const { task, start } = await makeTask({ 'a.txt': 'x\n' })
  await writeFiles(task.worktree, { 'report.md': 'first words\n' })
  await treeOf(task)
  await writeFiles(task.worktree, { 'report.md': 'other words, after a crash\n' })
  const tree = await treeUpon(task, start)
  expect(await gitIn(task.worktree, `--git-dir=${task.engineDir}`, 'show', `${tree}:report.md`)).toBe(
    'other words, after a crash',
  )
})
