// Several runs side by side, and a repository with very many files.
import { execFile } from 'node:child_process'
import { cp, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baton, documentOf } from '../e2e/baton.ts'
import { gitEnvironment, gitIn, makeFolder, makeRepository } from '../support/git.ts'
import { changes, hardHome, runHard, scriptOf, shell } from '../support/hard.ts'

const done = [{ writes: { 'work.txt': 'done\n' } }]

describe.concurrent('side by side', () => {
  test('git-flow rule 11: runs of sibling repositories that share ../.worktrees get folders of their own', async () => {
    const one = await makeRepository()
    const siblings = [one, join(dirname(one), 'second'), join(dirname(one), 'third')]
    for (const root of siblings.slice(1)) await cp(one, root, { recursive: true })
    const ends = await Promise.all(siblings.map((root) => runHard({ at: root, does: done })))
    const worktrees = ends.map(({ worktree }) => worktree)
    const folder = join(dirname(one), '.worktrees')
    expect(worktrees.toSorted()).toEqual(['1-work', '1-work-2', '1-work-3'].map((name) => join(folder, name)))
    for (const [index, { branch, status }] of ends.entries()) {
      expect([branch, status]).toEqual(['task/1-work', 'delivered'])
      expect(await changes(siblings[index] ?? '', branch)).toEqual({ 'work.txt': 'done' })
      expect(await gitIn(siblings[index] ?? '', 'worktree', 'list')).toContain(worktrees[index])
    }
  })

  test('three processes that change the same file in one repository know nothing of each other', async () => {
    const root = await makeRepository({ 'shared.txt': 'base\n' })
    const args = ['run', 'Write the work', '--workflow', 'coder', '--json', '--script']
    const runs = [1, 2, 3].map(async (number) => {
      const text = `by ${number}\n`
      const script = await scriptOf([{ writes: { 'shared.txt': text }, commits: `by ${number}` }])
      return documentOf(await baton(root, [...args, script], { home: await hardHome() }))
    })
    const documents = await Promise.all(runs)
    expect(documents.map(({ run }) => run).toSorted()).toEqual(['1', '2', '3'])
    for (const [index, { outcome, branch, worktree }] of documents.entries()) {
      expect(outcome).toBe('delivered')
      expect(await changes(root, branch)).toEqual({ 'shared.txt': `by ${index + 1}` })
      expect(await gitIn(root, 'rev-list', '--count', `main..${branch}`)).toBe('1')
      expect(await gitIn(worktree, 'status', '--porcelain', '--branch')).toBe(`## ${branch}`)
    }
    await gitIn(root, 'fsck', '--strict')
  })

  test('from two worktrees of one repository at once', async () => {
    const root = await makeRepository()
    const linked = join(dirname(root), 'linked')
    await gitIn(root, 'worktree', 'add', '-q', '-b', 'other', linked)
    const ends = await Promise.all([root, linked].map((at) => runHard({ at, base: 'main', does: done })))
    expect(ends.map(({ branch }) => branch).toSorted()).toEqual(['task/1-work', 'task/2-work'])
    expect(ends.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  })

  test('git-flow rule 13: nothing is pushed, and what a person pushes does not take refs/baton along', async () => {
    const origin = join(await makeFolder(), 'origin.git')
    const root = await makeRepository()
    await gitIn(root, 'clone', '-q', '--bare', root, origin)
    await gitIn(root, 'remote', 'add', 'origin', origin)
    const { branch } = await runHard({ at: root, does: done })
    expect(await gitIn(origin, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
    await gitIn(root, 'push', '-q', 'origin', branch)
    await gitIn(root, 'push', '-q', '--all', 'origin')
    expect(await gitIn(origin, 'for-each-ref', '--format=%(refname)')).toBe(
      `refs/heads/main\nrefs/heads/${branch}`,
    )
  })
})

describe('20,000 files', () => {
  test('a run with three changes is a run with three changes', async () => {
    const root = await manyFiles(20_000)
    const line = 'echo changed > d7/f7.txt && rm d8/f8.txt && echo new > d9/new.txt'
    const end = await runHard({ at: root, does: [{ runs: [shell(line)] }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({
      'd7/f7.txt': 'changed',
      'd8/f8.txt': 'deleted',
      'd9/new.txt': 'new',
    })
    expect((await readdir(join(end.worktree, 'd10'))).length).toBe(100)
  })
})

/** In 200 folders, by fast-import, with nothing checked out in the main checkout. */
async function manyFiles(count: number): Promise<string> {
  const root = await makeRepository()
  const files = Array.from({ length: count }, (_, index) => {
    const path = `d${index % 200}/f${index}.txt`
    const text = `${index}\n`
    return `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`
  })
  const head =
    'commit refs/heads/main\ncommitter A <a@b.invalid> 1 +0000\ndata 4\nmany\nfrom refs/heads/main^0\n'
  await new Promise<void>((resolve, reject) => {
    const options = { env: gitEnvironment }
    const child = execFile('git', ['-C', root, 'fast-import', '--quiet', '--force'], options, (error) =>
      error ? reject(error) : resolve(),
    )
    child.stdin?.end(head + files.join(''))
  })
  return root
}
