import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeTask, writeFiles, type Files } from '../../test/support/git.ts'
import { publishIndex } from './publish-index.ts'
import { treeOf } from './worktree-tree.ts'

const lines = (first: string, last: string): string => `${first}\n1\n2\n3\n4\n5\n6\n${last}\n`

test('a part of a file that was staged, and committed with the rest of it, takes nothing of the rest back', async () => {
  const staged = { 'a.txt': lines('his', 'z') }
  const worktree = await overtaken({ staged, step: { 'a.txt': lines('his', 'his too') } })
  expect(await gitIn(worktree, 'status', '--porcelain')).toBe('')
})

test('what is staged in one place of a file keeps what a step has changed in another', async () => {
  const step = { 'a.txt': lines('a', 'step'), 'b.txt': 'step\n' }
  const worktree = await overtaken({ staged: { 'a.txt': lines('his', 'z') }, step })
  await gitIn(worktree, 'commit', '--quiet', '-m', 'his')
  expect(await gitIn(worktree, 'show', 'HEAD:a.txt')).toBe(lines('his', 'step').trimEnd())
  expect(await gitIn(worktree, 'show', '--name-only', '--format=')).toBe('a.txt')
  await gitIn(worktree, 'fsck', '--strict', '--no-dangling')
})

test('a mode that is staged keeps what a step has written into the file', async () => {
  const worktree = await overtaken({
    act: ['update-index', '--chmod=+x', 'a.txt'],
    step: { 'a.txt': 'step\n' },
  })
  expect(await gitIn(worktree, 'diff', '--cached', '--summary', '--numstat')).toBe(
    '0\t0\ta.txt\n mode change 100644 => 100755 a.txt',
  )
})

test('a file that was only announced to git (add -N) is not staged as an empty one', async () => {
  const worktree = await overtaken({
    staged: { 'b.txt': 'his\n' },
    act: ['add', '-N', 'new.txt'],
    step: { 'new.txt': 'new\n' },
  })
  expect(await gitIn(worktree, 'diff', '--cached', '--name-only')).toBe('b.txt')
})

interface Overtaking {
  readonly staged?: Files
  /** What the person types after that. */
  readonly act?: readonly string[]
  readonly step: Files
}

/** The worktree after a commit of a step, before which a person has staged something. */
async function overtaken({ staged = {}, act, step }: Overtaking): Promise<string> {
  const files = { 'a.txt': lines('a', 'z'), 'b.txt': 'b\n' }
  const { task, start } = await makeTask(files)
  const { worktree, registration } = task
  const index = join(registration, 'index')
  const before = await readFile(index)
  await writeFiles(worktree, step)
  const to = await commitAll(worktree, 'step')
  await treeOf(task)
  await writeFile(index, before)
  await writeFiles(worktree, { ...files, ...staged })
  for (const name of Object.keys(staged)) await gitIn(worktree, 'add', name)
  if (act) await gitIn(worktree, ...act)
  await writeFiles(worktree, { ...files, ...step })
  await publishIndex(task, { from: start, to })
  return worktree
}
