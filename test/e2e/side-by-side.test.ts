// Several at once, and from wherever one stands.
import { expect, test } from 'vitest'
import { gitIn } from '../support/git.ts'
import { baton, documentOf, listOf, smallProject, thenAsk, works } from './baton.ts'

test('runs that start at the same moment in one repository get numbers, branches and worktrees of their own, and all deliver', async () => {
  const { root, script } = await smallProject(works)
  const args = ['run', 'Write the work', '--script', script, '--json']
  const ended = await Promise.all([1, 2, 3].map(() => baton(root, args)))
  const documents = ended.map((one) => documentOf(one))
  expect(documents.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(documents.map(({ run }) => run).toSorted()).toEqual(['1', '2', '3'])
  for (const { run, branch, worktree } of documents) {
    expect(branch).toBe(`task/${run}-work`)
    expect(worktree).toMatch(new RegExp(`/\\.worktrees/${run}-work$`))
    expect(await gitIn(root, 'show', `${branch}:work.txt`)).toBe('done')
    expect(await gitIn(worktree, 'status', '--porcelain', '--branch')).toBe(`## ${branch}`)
  }
})

test("who stands in a task's worktree can look, answer and resume there", async () => {
  const { root, script } = await smallProject(works, thenAsk)
  const { worktree } = documentOf(await baton(root, ['run', 'Write the work', '--script', script, '--json']))
  expect((await baton(worktree, ['show'])).stdout).toMatch(/^Run 1: Write the work\n {2}status {5}waiting\n/)
  expect((await baton(worktree, ['approve', '1'])).code).toBe(0)
  expect((await baton(worktree, ['resume'])).code).toBe(0)
  expect(listOf(await baton(worktree, ['runs', '--json']))).toMatchObject([{ run: '1', status: 'delivered' }])
})

test('a number that a run has left its branch under is not given again', async () => {
  const { root, script } = await smallProject(works)
  await gitIn(root, 'branch', 'task/7-older')
  const { run } = documentOf(await baton(root, ['run', 'Write the work', '--script', script, '--json']))
  expect(run).toBe('8')
})
