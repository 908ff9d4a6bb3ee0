import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeRepository, startTask, writeFiles } from '../../test/support/git.ts'
import type { Files, TestTask } from '../../test/support/git.ts'
import { beginTree, takeTree } from './look-ahead.ts'
import { mayHaveLinks } from './submodule-folders.ts'
import { treeOf } from './worktree-tree.ts'

/** A repository with a link to a commit in `lib`, which is not checked out. */
async function linked(files?: Files): Promise<TestTask> {
  const root = await makeRepository(files)
  const commit = await gitIn(root, 'rev-parse', 'HEAD')
  await gitIn(root, 'update-index', '--add', '--cacheinfo', `160000,${commit},lib`)
  await gitIn(root, 'commit', '--quiet', '-m', 'a link')
  return startTask(root)
}

async function namesIn({ task }: TestTask, tree: string): Promise<string[]> {
  const list = await gitIn(
    task.engineDir,
    `--git-dir=${task.engineDir}`,
    'ls-tree',
    '-r',
    '--name-only',
    tree,
  )
  return list.split('\n')
}

test('what is written into the folder of a link counts, also where no .gitmodules tells of it', async () => {
  const made = await linked()
  await writeFiles(made.task.worktree, { 'lib/new.txt': 'new\n' })
  expect(mayHaveLinks(made.task)).toBe(true)
  beginTree(made.task)
  expect(await takeTree(made.task)).toBeUndefined()
  expect(await namesIn(made, await treeOf(made.task))).toEqual(['README.md', 'lib/new.txt'])
})

test('and where the agent has removed it', async () => {
  const made = await linked({ '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n' })
  await writeFiles(made.task.worktree, { 'lib/new.txt': 'new\n' })
  await rm(join(made.task.worktree, '.gitmodules'))
  expect(await namesIn(made, await treeOf(made.task))).toEqual(['lib/new.txt'])
})

test('a link whose folder is empty stays, and most repositories have none', async () => {
  const made = await linked()
  expect(await namesIn(made, await treeOf(made.task))).toEqual(['README.md', 'lib'])
  const { task } = await startTask(await makeRepository())
  expect(mayHaveLinks(task)).toBe(false)
})
