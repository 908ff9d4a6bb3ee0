import { chmod, mkdir, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeTask, writeFiles } from '../../test/support/git.ts'
import { absentPaths, branchChanges, branchStart, readTexts, topNames } from './branch-changes.ts'

const long = 'a line\n'.repeat(20)

test('tells what was added, changed, deleted, emptied, renamed, only moved and only given another mode', async () => {
  const files = {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'd.txt': long,
    'e.txt': `${long}e\n`,
    'f.txt': '',
  }
  const { repo, task, start } = await makeTask({ ...files, 'g.txt': 'g\n', 'h.txt': 'h\n', 'i.sh': 'i\n' })
  const root = task.worktree
  await mkdir(join(root, 'x'))
  await gitIn(root, 'mv', 'd.txt', 'x/d.txt')
  await gitIn(root, 'mv', 'e.txt', 'x/e.txt')
  await gitIn(root, 'rm', '-q', 'c.txt')
  await chmod(join(root, 'i.sh'), 0o755)
  await unlink(join(root, 'h.txt'))
  await symlink('a.txt', join(root, 'h.txt'))
  await writeFiles(root, {
    'a.txt': 'A\n',
    'b.txt': '',
    'g.txt': '\n',
    'n\u00fc\n.txt': '',
    'x/e.txt': `${long}E\n`,
  })
  const tip = await commitAll(root, 'all of it')
  const changes = await branchChanges(repo, start, tip)
  expect(
    changes.map(({ path, from, change, emptied }) =>
      [path, from ?? '', change, emptied ? 'emptied' : ''].join(' ').trim(),
    ),
  ).toEqual([
    'a.txt  modified',
    'b.txt  modified emptied',
    'c.txt  deleted',
    'g.txt  modified emptied',
    'h.txt  deleted',
    'i.sh  mode',
    'n\u00fc\n.txt  added',
    'x/d.txt d.txt moved',
    'x/e.txt e.txt renamed',
  ])
})

test('a branch begins where it left the base, or where it last took it in', async () => {
  const { root, repo, task, start } = await makeTask()
  await writeFiles(task.worktree, { 'ours.txt': 'ours\n' })
  const ours = await commitAll(task.worktree, 'ours')
  await writeFiles(root, { 'theirs.txt': 'theirs\n' })
  const theirs = await commitAll(root, 'theirs')
  expect(await branchStart(repo, { base: theirs, start, tip: ours })).toBe(start)
  await gitIn(task.worktree, 'merge', '-q', '--no-edit', theirs)
  const merged = await gitIn(task.worktree, 'rev-parse', 'HEAD')
  expect(await branchStart(repo, { base: theirs, start, tip: merged })).toBe(theirs)
  expect((await branchChanges(repo, theirs, merged)).map(({ path }) => path)).toEqual(['ours.txt'])
})

test('what a task began with is not its own, also where the base does not have it yet', async () => {
  const { repo, task, start: base } = await makeTask()
  await writeFiles(task.worktree, { 'earlier.txt': 'earlier\n' })
  const start = await commitAll(task.worktree, 'earlier')
  await writeFiles(task.worktree, { 'ours.txt': 'ours\n' })
  const tip = await commitAll(task.worktree, 'ours')
  expect(await branchStart(repo, { base, start, tip })).toBe(start)
})

test('texts are read by id or by place, together; what is large or no file is not', async () => {
  const { repo, task } = await makeTask({ 'a b.txt': 'text\n', 'big.txt': 'x'.repeat(2000), 'dir/c.txt': '' })
  await writeFile(join(task.worktree, 'binary'), Buffer.from([0, 255, 10]))
  const tip = await commitAll(task.worktree, 'binary')
  const names = [`${tip}:a b.txt`, `${tip}:nothing.txt`, `${tip}:dir`, `${tip}:big.txt`, `${tip}:dir/c.txt`]
  expect(await readTexts(repo, names, 1000)).toEqual(
    new Map([
      [`${tip}:big.txt`, { type: 'too_large' }],
      [`${tip}:a b.txt`, { type: 'text', text: 'text\n' }],
      [`${tip}:dir/c.txt`, { type: 'text', text: '' }],
    ]),
  )
  expect(await readTexts(repo, [], 1000)).toEqual(new Map())
  expect(await absentPaths(repo, tip, ['a b.txt', 'dir', 'dir/d.txt', 'dir/c.txt'])).toEqual(['dir/d.txt'])
  expect(await topNames(repo, tip)).toEqual(expect.arrayContaining(['a b.txt', 'dir']))
})
