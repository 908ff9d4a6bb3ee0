import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  commitAll,
  gitEnvironment,
  gitIn,
  makeRepository,
  makeTask,
  startTask,
  taskSpec,
  writeFiles,
} from '../../test/support/git.ts'
import { openPrivateDir } from './private-dir.ts'
import { discoverRepository } from './repository.ts'
import { createTaskWorkspace, openTaskWorkspace, removeTaskWorkspace } from './task-workspace.ts'
import { treeOf } from './worktree-tree.ts'

describe('creating a task', () => {
  test('R001-22, R001-68: a new branch is checked out into a worktree of its own', async () => {
    const { root, task, start } = await makeTask({ 'a.txt': 'a\n', 'dir/b c.txt': 'b\n' })
    expect(await gitIn(root, 'worktree', 'list', '--porcelain')).toContain(
      `worktree ${task.worktree}\nHEAD ${start}\nbranch refs/heads/task/1-demo`,
    )
    expect(await readFile(join(task.worktree, 'dir', 'b c.txt'), 'utf8')).toBe('b\n')
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
  })

  test('R001-70: the main checkout and the other branches stay as they were', async () => {
    const root = await makeRepository()
    await gitIn(root, 'branch', 'other')
    await writeFiles(root, { 'README.md': 'edited by hand\n' })
    const before = await gitIn(root, 'status', '--porcelain=2', '--branch')
    await startTask(root)
    const refs = await gitIn(root, 'for-each-ref', '--format=%(refname)')
    expect(refs.split('\n')).toEqual([
      'refs/baton/r1/base',
      'refs/heads/main',
      'refs/heads/other',
      'refs/heads/task/1-demo',
    ])
    const after = await gitIn(root, 'status', '--porcelain=2', '--branch')
    expect(after.replace('\n? .baton/', '')).toBe(before)
  })

  test('git-flow rule 11: paths may hold spaces, colons, quotes and letters of any language', async () => {
    const { task } = await makeTask({ 'Grüße/ü:1 "x".txt': 'hallo\n' }, { name: 'my: "pro" jekt ü' })
    expect(await readFile(join(task.worktree, 'Grüße', 'ü:1 "x".txt'), 'utf8')).toBe('hallo\n')
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
  })

  test('a repository with sha256 works the same', async () => {
    const { task, start } = await makeTask(undefined, { objectFormat: 'sha256' })
    expect(start).toHaveLength(64)
    expect(await gitIn(task.worktree, 'rev-parse', 'HEAD')).toBe(start)
  })

  test('git-flow rule 11: a folder that is taken leads to the next number', async () => {
    const root = await makeRepository()
    const wanted = taskSpec(root, '').worktree
    await mkdir(`${wanted}-2`, { recursive: true })
    await mkdir(wanted)
    expect((await startTask(root)).task.worktree).toBe(`${wanted}-3`)
  })

  test('a branch that exists is not touched, and nothing is left behind', async () => {
    const root = await makeRepository()
    await gitIn(root, 'branch', 'task/1-demo')
    const repo = await discoverRepository(root, gitEnvironment)
    const spec = taskSpec(root, await gitIn(root, 'rev-parse', 'HEAD'))
    await expect(createTaskWorkspace(repo, spec)).rejects.toMatchObject({ code: 'branch.exists' })
    expect(await gitIn(root, 'for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/main\nrefs/heads/task/1-demo',
    )
    await expect(lstat(spec.worktree)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('git-flow rule 11: a creation that fails half-way is undone', async () => {
    const root = await makeRepository()
    const repo = await discoverRepository(root, gitEnvironment)
    const spec = taskSpec(root, await gitIn(root, 'rev-parse', 'HEAD'))
    const broken = { ...repo, objectsDir: '/nonexistent' }
    await expect(createTaskWorkspace(broken, spec)).rejects.toMatchObject({ code: 'git.failed' })
    expect(await gitIn(root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    expect(await gitIn(root, 'worktree', 'list')).not.toContain('1-demo')
    expect(await readdir(dirname(spec.worktree))).toEqual([])
    await expect(createTaskWorkspace(repo, spec)).resolves.toMatchObject({ worktree: spec.worktree })
  })

  test('a worktree that somebody else is just registering is waited for', async () => {
    const root = await makeRepository()
    await gitIn(root, 'worktree', 'add', '-q', '--detach', join(dirname(root), 'theirs'))
    const halfMade = join(root, '.git', 'worktrees', 'theirs', 'commondir')
    await writeFile(halfMade, '')
    setTimeout(() => void writeFile(halfMade, '../..\n'), 300)
    const { task } = await startTask(root)
    expect(await gitIn(root, 'worktree', 'list', '--porcelain')).toContain(`worktree ${task.worktree}\n`)
  })

  test('hooks and filters of the repository do not run; large files stay pointers', async () => {
    const root = await makeRepository({ '.gitattributes': '*.bin filter=lfs\n', 'a.bin': 'pointer\n' })
    await gitIn(root, 'config', 'filter.lfs.smudge', `touch ${root}/SMUDGED; cat`)
    await gitIn(root, 'config', 'filter.lfs.clean', `touch ${root}/CLEANED; cat`)
    await writeFile(join(root, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${root}/HOOKED\n`, {
      mode: 0o755,
    })
    const { task } = await startTask(root)
    expect(await readFile(join(task.worktree, 'a.bin'), 'utf8')).toBe('pointer\n')
    expect((await readdir(root)).filter((name) => /^[A-Z]+ED$/.test(name))).toEqual([])
  })

  test('undo takes back branch, worktree and registration', async () => {
    const { root, task, start } = await makeTask()
    await removeTaskWorkspace(task, start)
    expect(await gitIn(root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    expect(await readdir(dirname(task.worktree))).toEqual([])
  })
})

describe('opening a task again', () => {
  test('gives the same workspace', async () => {
    const { repo, spec, task } = await makeTask()
    expect(await openTaskWorkspace(repo, spec)).toEqual(task)
  })

  test('an index that a process was killed over before it was in its place is gone', async () => {
    const { repo, spec, task } = await makeTask()
    await writeFiles(task.registration, { 'index.1-ab.tmp': '', 'kept.tmp': '' })
    await openTaskWorkspace(repo, spec)
    expect((await readdir(task.registration)).filter((name) => name.endsWith('.tmp'))).toEqual(['kept.tmp'])
  })

  test('a worktree that was left to an agent is given back to the main repository', async () => {
    const { repo, spec, task, start } = await makeTask()
    await openPrivateDir(task, { name: 'one', tip: start })
    await openTaskWorkspace(repo, spec)
    expect((await readFile(join(task.worktree, '.git'), 'utf8')).trimEnd()).toBe(
      `gitdir: ${task.registration}`,
    )
  })

  test('a folder put in the place of the .git file is kept aside', async () => {
    const { repo, spec, task } = await makeTask()
    await rm(join(task.worktree, '.git'))
    await gitIn(task.worktree, 'init', '--quiet')
    await openTaskWorkspace(repo, spec)
    expect(await gitIn(task.worktree, 'branch', '--show-current')).toBe('task/1-demo')
    expect(await readdir(join(task.stateDir, 'replaced-git'))).toContain('HEAD')
  })

  test('a half-made one is removed and made anew', async () => {
    const { repo, spec, task } = await makeTask()
    await writeFile(
      join(spec.stateDir, 'workspace.json'),
      JSON.stringify({ state: 'creating', worktree: task.worktree }),
    )
    await rm(join(task.worktree, '.git'))
    await writeFile(join(task.registration, 'locked'), 'initializing')
    expect(await openTaskWorkspace(repo, spec)).toEqual(task)
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
  })

  test('one of which only the branch was made is made anew', async () => {
    const root = await makeRepository()
    const start = await gitIn(root, 'rev-parse', 'HEAD')
    await gitIn(root, 'branch', 'task/1-demo')
    await gitIn(root, 'update-ref', 'refs/baton/r1/base', start)
    const repo = await discoverRepository(root, gitEnvironment)
    await expect(openTaskWorkspace(repo, taskSpec(root, start))).resolves.toMatchObject({ run: 'r1' })
  })

  test("somebody else's branch of that name is never taken for half-made", async () => {
    const root = await makeRepository()
    const start = await gitIn(root, 'rev-parse', 'HEAD')
    await gitIn(root, 'branch', 'task/1-demo')
    const repo = await discoverRepository(root, gitEnvironment)
    await expect(openTaskWorkspace(repo, taskSpec(root, start))).rejects.toMatchObject({
      code: 'branch.exists',
    })
    expect(await gitIn(root, 'rev-parse', 'task/1-demo')).toBe(start)
  })

  test('a worktree whose folder is gone is checked out again from the tip of the branch', async () => {
    const { repo, spec, task } = await makeTask()
    await writeFiles(task.worktree, { 'new.txt': 'new\n' })
    const tip = await commitAll(task.worktree, 'by hand')
    await rm(task.worktree, { recursive: true })
    await openTaskWorkspace(repo, spec)
    expect(await gitIn(task.worktree, 'rev-parse', 'HEAD')).toBe(tip)
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
    expect(await readFile(join(task.worktree, 'new.txt'), 'utf8')).toBe('new\n')
  })

  test('a registration that was pruned away is written again', async () => {
    const { repo, spec, task } = await makeTask()
    await rm(task.registration, { recursive: true })
    await openTaskWorkspace(repo, spec)
    expect(await gitIn(task.worktree, 'branch', '--show-current')).toBe('task/1-demo')
  })

  test('a registration without an index gets one: a commit of one file removes no other', async () => {
    const { repo, spec, task } = await makeTask()
    await rm(task.registration, { recursive: true })
    await writeFiles(task.worktree, { 'new.txt': 'new\n' })
    await treeOf(task)
    await openTaskWorkspace(repo, spec)
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('?? new.txt')
  })
})
