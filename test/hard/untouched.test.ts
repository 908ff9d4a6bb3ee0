// The main checkout of somebody who is in the middle of something: a run adds its own and touches nothing else.
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, gitIn, makeRepository, writeFiles } from '../support/git.ts'
import { changes, difference, photograph, runHard, shell } from '../support/hard.ts'

/** All that a run may leave in the main repository, in the order of names. Objects are only ever added. */
const ours = [
  /^\.baton(\/runs(\/.*)?)?$/,
  /^\.git$/,
  /^\.git\/info\/exclude$/,
  // Which runs were made here.
  /^\.git\/baton(\/runs(\/1)?)?$/,
  /^\.git\/objects\/([0-9a-f]{2}(\/[0-9a-f]{38})?|pack\/pack-.*)$/,
  /^\.git\/(logs\/)?refs\/(baton|heads\/task)(\/.*)?$/,
  /^\.git\/worktrees(\/1-work(\/.*)?)?$/,
]

/** Somebody at work: staged, changed, new, ignored, stashed, with hooks, notes and an unfinished second branch. */
async function busyRepository(): Promise<string> {
  const root = await makeRepository({
    '.gitignore': '*.o\n',
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'sub/d.txt': 'd\n',
  })
  await writeFiles(root, { 'b.txt': 'stashed\n' })
  await gitIn(root, 'stash')
  await gitIn(root, 'checkout', '--quiet', '-b', 'side')
  await writeFiles(root, { 'a.txt': 'side\n' })
  await commitAll(root, 'on the side')
  await gitIn(root, 'checkout', '--quiet', 'main')
  await writeFiles(root, { 'a.txt': 'main\n' })
  await commitAll(root, 'on main')
  await gitIn(root, 'tag', 'v1')
  await gitIn(root, 'notes', 'add', '-m', 'a note')
  await gitIn(root, 'config', 'core.hooksPath', '.git/own-hooks')
  await writeFiles(root, {
    '.git/own-hooks/post-checkout': '#!/bin/sh\ntouch HOOKED\n',
    '.git/hooks/reference-transaction': '#!/bin/sh\ntouch HOOKED\n',
  })
  await chmod(join(root, '.git/own-hooks/post-checkout'), 0o755)
  await chmod(join(root, '.git/hooks/reference-transaction'), 0o755)
  return root
}

async function makeDirty(root: string): Promise<void> {
  await writeFiles(root, {
    'b.txt': 'staged\n',
    'c.txt': 'changed\n',
    'new.txt': 'new\n',
    'x.o': 'ignored\n',
  })
  await gitIn(root, 'add', 'b.txt')
  await writeFiles(root, { 'b.txt': 'staged, then changed\n' })
}

/** How it came to be, and the file in .git that proves it. */
const under: readonly (readonly [name: string, proof: string, act: (root: string) => Promise<unknown>])[] = [
  ['dirty in every way', 'index', makeDirty],
  ['in the middle of a merge', 'MERGE_HEAD', (root) => gitIn(root, 'merge', 'side')],
  ['in the middle of a rebase', 'rebase-merge', (root) => gitIn(root, 'rebase', 'side')],
  ['in the middle of a cherry-pick', 'CHERRY_PICK_HEAD', (root) => gitIn(root, 'cherry-pick', 'side')],
  ['in the middle of a revert', 'REVERT_HEAD', (root) => gitIn(root, 'revert', '--no-edit', 'side')],
  ['in the middle of a bisect', 'BISECT_LOG', (root) => gitIn(root, 'bisect', 'start', 'HEAD', 'HEAD~1')],
  ['with no branch checked out', 'HEAD', (root) => gitIn(root, 'checkout', '--quiet', '--detach', 'v1')],
  ['on another branch than the base', 'HEAD', (root) => gitIn(root, 'checkout', '--quiet', 'side')],
  ['with an index that is locked', 'index.lock', (root) => writeFile(join(root, '.git', 'index.lock'), '')],
]

describe.concurrent('R001-70: the main checkout', () => {
  test.each(under)('%s: not a byte of it changes', async (_, proof, act) => {
    const root = await busyRepository()
    // Git ends with a failure where it leaves something under way.
    await act(root).catch(() => undefined)
    const before = await photograph(root)
    expect(Object.keys(before)).toContain(`.git/${proof}`)
    const end = await runHard({
      at: root,
      base: 'main',
      workflow: 'merge',
      does: [{ writes: { 'work.txt': 'done\n', 'a.txt': 'by the agent\n' } }],
    })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done', 'a.txt': 'by the agent' })
    const strange = difference(before, await photograph(root)).filter(
      (name) => !ours.some((one) => one.test(name)),
    )
    expect(strange).toEqual([])
  })

  test('what an agent does with git where it works reaches neither branches, tags, stash, configuration nor hooks', async () => {
    const root = await busyRepository()
    await makeDirty(root)
    const before = await photograph(root)
    const lines = [
      'git config user.name Mallory',
      'git config core.hooksPath /tmp',
      'git branch evil',
      'git tag evil',
      'git tag -d v1',
      'git branch -D side main',
      'echo x >> a.txt; git stash',
      'git stash clear',
      'git remote add origin /nonexistent',
      'git update-ref refs/heads/main HEAD',
      'git worktree prune; git gc --prune=now -q; git reflog expire --all --expire=now',
      'git checkout -q -b elsewhere',
      'git checkout -q task/1-work',
    ]
    const does = [{ runs: [shell(`${lines.join('; ')}; true`)], writes: { 'work.txt': 'done\n' } }]
    const end = await runHard({ at: root, base: 'main', does })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    const strange = difference(before, await photograph(root)).filter(
      (name) => !ours.some((one) => one.test(name)),
    )
    expect(strange).toEqual([])
  })
})
