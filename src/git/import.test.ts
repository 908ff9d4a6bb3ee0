import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  commitAll,
  gitEnvironment,
  gitIn,
  makeTask,
  testPerson,
  writeFiles,
  type Files,
  type TestTask,
} from '../../test/support/git.ts'
import { commitTree } from './commit.ts'
import { treeOf } from './worktree-tree.ts'
import { importCommits, moveBranch, nextSnapshotRef } from './import.ts'
import { keepLeftovers } from './leftovers.ts'
import { openPrivateDir, type PrivateDir } from './private-dir.ts'

const snapshot = 'refs/baton/r1/1'

interface Attempt extends TestTask {
  readonly side: PrivateDir
}

async function attempt(files?: Files, options?: Parameters<typeof makeTask>[1]): Promise<Attempt> {
  const demo = await makeTask(files, options)
  return {
    ...demo,
    side: await openPrivateDir(demo.task, { name: 'one', tip: demo.start, identity: testPerson }),
  }
}

async function importFrom({ task, side, start }: Attempt, base?: string): ReturnType<typeof importCommits> {
  return importCommits(task, { from: side.path, tip: await side.tip(), last: start, base, snapshot })
}

describe('importing', () => {
  test.each(['sha1', 'sha256'] as const)(
    'brings new commits over, oldest first (%s)',
    async (objectFormat) => {
      const demo = await attempt(undefined, { objectFormat })
      const { root, task, start } = demo
      await writeFiles(task.worktree, { 'Ä b: c.txt': 'one\n' })
      const one = await commitAll(task.worktree, 'one ü')
      await writeFiles(task.worktree, { 'Ä b: c.txt': 'two\n' })
      const two = await commitAll(task.worktree, 'two')
      const author = { authorEmail: testPerson.email }
      expect(await importFrom(demo)).toEqual({
        type: 'imported',
        commits: [
          { id: one, parents: [start], subject: 'one ü', ...author },
          { id: two, parents: [one], subject: 'two', ...author },
        ],
      })
      expect(await gitIn(root, 'show', `${snapshot}:Ä b: c.txt`)).toBe('two')
      expect(await gitIn(root, 'rev-parse', 'task/1-demo')).toBe(start)
      await gitIn(root, 'fsck', '--strict')
    },
  )

  test('without new commits nothing happens', async () => {
    const demo = await attempt()
    expect(await importFrom(demo)).toEqual({ type: 'imported', commits: [] })
    expect(await gitIn(demo.root, 'for-each-ref', 'refs/baton/r1/1')).toBe('')
  })

  test('a large step comes as one pack, and a small one after it not, though both lie in the same place', async () => {
    const demo = await attempt()
    const packs = async (): Promise<string[]> =>
      (await readdir(join(demo.repo.objectsDir, 'pack'))).filter((name) => name.endsWith('.pack'))
    const names = Array.from({ length: 4000 }, (_, index) => [`many/${index}.txt`, `${index}\n`])
    await writeFiles(demo.task.worktree, Object.fromEntries(names) as Files)
    const many = await commitAll(demo.task.worktree, 'many')
    expect(await importFrom(demo)).toMatchObject({ type: 'imported', commits: [{ subject: 'many' }] })
    expect(await packs()).toHaveLength(1)
    await writeFiles(demo.task.worktree, { 'few.txt': 'few\n' })
    await commitAll(demo.task.worktree, 'few')
    const after = { from: demo.side.path, tip: await demo.side.tip(), last: many }
    const next = await importCommits(demo.task, { ...after, snapshot: 'refs/baton/r1/2' })
    expect(next).toMatchObject({ type: 'imported', commits: [{ subject: 'few' }] })
    expect(await packs()).toHaveLength(1)
    await gitIn(demo.root, 'fsck', '--strict')
  })

  test('done a second time it is the same success', async () => {
    const demo = await attempt()
    await commitAll(demo.task.worktree, 'one')
    const first = await importFrom(demo)
    expect(await importFrom(demo)).toEqual(first)
    // As if the process had died between the objects and the ref.
    await gitIn(demo.root, 'update-ref', '-d', snapshot)
    expect(await importFrom(demo)).toEqual(first)
  })

  test("git-flow rule 8: the engine's own commit comes the same way, and is the same commit each time", async () => {
    const { root, task, start } = await makeTask()
    await writeFiles(task.worktree, { 'plan.md': 'plan\n' })
    const content = {
      tree: await treeOf(task),
      parents: [start],
      message: 'Plan\n\nRole: planner\n',
      author: { name: 'Baton', email: 'baton@localhost' },
      date: '2026-01-02T03:04:05.678Z',
    }
    const tip = await commitTree(task, content)
    expect(await commitTree(task, content)).toBe(tip)
    const request = { from: task.engineDir, tip, last: start, snapshot }
    expect(await importCommits(task, request)).toMatchObject({
      type: 'imported',
      commits: [{ id: tip, subject: 'Plan' }],
    })
    expect(await moveBranch(task, { from: start, to: tip })).toEqual({ type: 'done' })
    expect(await gitIn(root, 'log', '-1', '--format=%an %ad %cd', '--date=iso-strict', 'task/1-demo')).toBe(
      'Baton 2026-01-02T03:04:05+00:00 2026-01-02T03:04:05+00:00',
    )
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
  })
})

describe('refusing', () => {
  async function reasonOf(demo: Attempt, base?: string): Promise<string> {
    const result = await importFrom(demo, base)
    if (result.type === 'imported') throw new Error('it was imported')
    expect(await gitIn(demo.root, 'for-each-ref', 'refs/baton/r1/1')).toBe('')
    expect((await readdir(demo.repo.objectsDir)).filter((name) => name.startsWith('tmp_'))).toEqual([])
    return result.reason
  }

  test('R001-83: a rewritten history', async () => {
    const demo = await attempt()
    await gitIn(demo.task.worktree, 'commit', '--quiet', '--amend', '-m', 'rewritten')
    expect(await reasonOf(demo)).toContain('history was rewritten')
  })

  test('a history that was put back', async () => {
    const demo = await makeTask()
    const last = await commitAll(demo.task.worktree, 'more')
    const side = await openPrivateDir(demo.task, { name: 'one', tip: last })
    await gitIn(demo.task.worktree, 'reset', '--quiet', '--hard', 'HEAD^')
    expect(await reasonOf({ ...demo, start: last, side })).toContain('history was rewritten')
  })

  test("R001-83, git-flow rule 1: another branch's commit, merged or fast-forwarded to by its id", async () => {
    for (const option of ['--no-ff', '--ff-only']) {
      const demo = await attempt()
      await writeFiles(demo.root, { 'foreign.txt': 'x\n' })
      await gitIn(demo.root, 'checkout', '--quiet', '-b', 'foreign')
      await gitIn(demo.root, 'add', 'foreign.txt')
      await gitIn(demo.root, 'commit', '--quiet', '-m', 'foreign')
      const foreign = await gitIn(demo.root, 'rev-parse', 'HEAD')
      await gitIn(demo.task.worktree, 'merge', '--quiet', option, '-m', 'sneak', foreign)
      expect(await reasonOf(demo)).toBe(`it holds commits of another branch: ${foreign.slice(0, 12)}`)
    }
  })

  test("another branch's commit whose object the agent has copied, in a pack", async () => {
    const demo = await attempt()
    await gitIn(demo.root, 'checkout', '--quiet', '-b', 'foreign')
    const foreign = await commitAll(demo.root, 'foreign')
    await cp(demo.repo.objectsDir, join(demo.side.path, 'objects'), {
      recursive: true,
      force: false,
      filter: (path) => !path.endsWith('alternates'),
    })
    await gitIn(demo.task.worktree, 'merge', '--quiet', '--ff-only', foreign)
    await gitIn(demo.task.worktree, 'repack', '-a', '-d', '-q')
    expect(await reasonOf(demo)).toContain('commits of another branch')
  })

  test('the base may be merged, and its commits are not listed as new', async () => {
    const demo = await attempt()
    await writeFiles(demo.root, { 'base.txt': 'x\n' })
    await gitIn(demo.root, 'add', 'base.txt')
    await gitIn(demo.root, 'commit', '--quiet', '-m', 'base')
    const base = await gitIn(demo.root, 'rev-parse', 'HEAD')
    await gitIn(demo.task.worktree, 'merge', '--quiet', '--no-ff', '-m', 'Merge main', base)
    const result = await importFrom(demo, base)
    expect(result).toMatchObject({
      type: 'imported',
      commits: [{ parents: [demo.start, base], subject: 'Merge main' }],
    })
  })

  test.each(['.GIT', 'git~1', '.git ', '.g\u200Cit', '.git::$INDEX_ALLOCATION'])(
    'a folder named like a git directory: %s',
    async (name) => {
      const demo = await attempt()
      const { worktree } = demo.task
      const blob = await gitIn(worktree, 'rev-parse', 'HEAD:README.md')
      const inner = makeTree(worktree, `100644 blob ${blob}\tconfig\n`)
      const tree = makeTree(worktree, `040000 tree ${inner}\t${name}\n`)
      const commit = await gitIn(worktree, 'commit-tree', '-p', 'HEAD', '-m', 'sneak', tree)
      await gitIn(worktree, 'update-ref', 'refs/heads/task/1-demo', commit)
      expect(await reasonOf(demo)).toContain('hasDotgit')
    },
  )

  test('a .gitmodules that carries a command', async () => {
    const demo = await attempt()
    const hostile = '[submodule "a"]\n\tpath = a\n\turl = https://example.org/a\n\tupdate = !touch /tmp/x\n'
    await writeFiles(demo.task.worktree, { '.gitmodules': hostile })
    await commitAll(demo.task.worktree, 'hostile')
    expect(await reasonOf(demo)).toContain('gitmodulesUpdate')
  })

  test('a nested repository committed as a link', async () => {
    const demo = await attempt()
    const nested = join(demo.task.worktree, 'nested')
    await mkdir(nested)
    await gitIn(nested, 'init', '--quiet')
    await commitAll(nested, 'nested')
    await commitAll(demo.task.worktree, 'with nested')
    expect(await reasonOf(demo)).toBe('a nested repository was committed: nested')
  })

  test('a commit whose content is missing', async () => {
    const demo = await attempt()
    await writeFiles(demo.task.worktree, { 'a.txt': 'will vanish\n' })
    await commitAll(demo.task.worktree, 'one')
    const blob = await gitIn(demo.task.worktree, 'rev-parse', 'HEAD:a.txt')
    const path = join(demo.side.path, 'objects', blob.slice(0, 2), blob.slice(2))
    await chmod(path, 0o600)
    await writeFile(path, 'rubbish')
    expect(await reasonOf(demo)).not.toBe('')
  })

  test('nothing that was planted in the private directory runs on the host', async () => {
    const demo = await attempt()
    const { root, task, side } = demo
    const trap = `touch ${root}/TRAPPED`
    await writeFiles(task.worktree, { '.gitattributes': '* filter=evil\n', 'a.txt': 'a\n' })
    await commitAll(task.worktree, 'one')
    for (const key of [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.smudge',
      'core.sshCommand',
      'gpg.program',
    ]) {
      await gitIn(task.worktree, 'config', key, trap)
    }
    await gitIn(task.worktree, 'config', 'core.alternateRefsCommand', trap)
    for (const hook of ['reference-transaction', 'post-index-change', 'pre-commit', 'post-checkout']) {
      await writeFile(join(side.path, 'hooks', hook), `#!/bin/sh\n${trap}\n`, { mode: 0o755 })
    }
    await writeFile(join(side.path, 'info', 'attributes'), '* filter=evil\n')
    await writeFiles(task.worktree, { 'a.txt': 'b\n' })
    await treeOf(task)
    expect(await importFrom(demo)).toMatchObject({ type: 'imported' })
    await keepLeftovers(task, side)
    expect(await readdir(root)).not.toContain('TRAPPED')
  })
})

function makeTree(worktree: string, input: string): string {
  return execFileSync('git', ['-C', worktree, 'mktree'], { input, env: gitEnvironment }).toString().trim()
}

describe('moving the branch', () => {
  test('is done once, and a repetition is success', async () => {
    const demo = await attempt()
    const to = await commitAll(demo.task.worktree, 'one')
    await importFrom(demo)
    const move = { from: demo.start, to }
    expect([await moveBranch(demo.task, move), await moveBranch(demo.task, move)]).toEqual([
      { type: 'done' },
      { type: 'done' },
    ])
    expect(await gitIn(demo.root, 'rev-parse', 'task/1-demo')).toBe(to)
  })

  test('is refused if somebody else has moved it', async () => {
    const demo = await attempt()
    const to = await commitAll(demo.task.worktree, 'one')
    await importFrom(demo)
    await demo.side.close()
    const found = await commitAll(demo.task.worktree, 'by a person')
    expect(await moveBranch(demo.task, { from: demo.start, to })).toEqual({ type: 'moved', found })
  })

  test('what a person has staged stays staged; a mere look does no harm', async () => {
    const demo = await attempt({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const { task, start, side } = demo
    await writeFiles(task.worktree, { 'a.txt': 'changed\n' })
    const one = await commitAll(task.worktree, 'one')
    await importFrom(demo)
    await side.close()
    await gitIn(task.worktree, 'update-index', '--refresh', '-q').catch(() => '')
    await treeOf(task)
    await moveBranch(task, { from: start, to: one })
    expect(await gitIn(task.worktree, 'status', '--porcelain')).toBe('')
    await writeFiles(task.worktree, { 'b.txt': 'staged\n' })
    await gitIn(task.worktree, 'add', 'b.txt')
    await gitIn(demo.root, 'update-ref', 'refs/heads/task/1-demo', start)
    await moveBranch(task, { from: start, to: one })
    expect(await gitIn(task.worktree, 'diff', '--cached', '--name-only')).toBe('b.txt')
  })

  test('a commit of what a person has staged takes nothing of the step back', async () => {
    const { root, worktree } = await stagedDuringStep('b.txt')
    expect(await gitIn(worktree, 'diff', '--cached', '--name-only')).toBe('b.txt')
    await gitIn(worktree, 'commit', '--quiet', '-m', 'theirs')
    expect(await gitIn(root, 'show', 'task/1-demo:a.txt')).toBe('changed')
  })

  test('of files that the step has changed, only what a person has staged is staged', async () => {
    const { worktree } = await stagedDuringStep('a.txt')
    expect(await gitIn(worktree, 'show', ':a.txt')).toBe('staged')
    expect(await gitIn(worktree, 'diff', '--cached', '--name-only')).toBe('a.txt')
    expect(await gitIn(worktree, 'diff', '--name-only')).toBe('')
  })

  test('a file that a person has staged for removal, and the step has changed, is all that his commit removes', async () => {
    const { worktree } = await stagedDuringStep('a.txt', 'removed')
    expect(await gitIn(worktree, 'status', '--porcelain')).toBe('D  a.txt\n?? a.txt')
  })

  test('what a person is merging is left alone, and of other files the step is not taken back', async () => {
    const { worktree } = await stagedDuringStep('a.txt', 'merged')
    expect(await gitIn(worktree, 'ls-files', '--unmerged', '-z')).toContain('a.txt')
    expect(await gitIn(worktree, 'show', ':c.txt')).toBe('changed')
  })
})

/** A step has changed `a.txt` and `c.txt`, and before its branch moves a person has done something to one file. */
async function stagedDuringStep(
  path: string,
  how: 'added' | 'removed' | 'merged' = 'added',
): Promise<{ readonly root: string; readonly worktree: string }> {
  const demo = await attempt({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const { root, task, start, side } = demo
  await writeFiles(task.worktree, { 'a.txt': 'changed\n', 'c.txt': 'changed\n' })
  const one = await commitAll(task.worktree, 'one')
  await importFrom(demo)
  await side.close()
  if (how === 'merged') {
    await writeFiles(root, { [path]: 'other\n' })
    await gitIn(root, 'commit', '--quiet', '-m', 'other', '--', path)
    await gitIn(task.worktree, 'read-tree', '-i', '-m', one, start, 'main')
  }
  if (how === 'removed') await gitIn(task.worktree, 'rm', '--quiet', '--cached', path)
  if (how === 'added') {
    await writeFiles(task.worktree, { [path]: 'staged\n' })
    await gitIn(task.worktree, 'add', path)
  }
  await moveBranch(task, { from: start, to: one })
  return { root, worktree: task.worktree }
}

test('snapshots are numbered, other refs of the run do not count', async () => {
  const { root, task } = await makeTask()
  // Another process of the same run has seen nothing yet.
  const fresh = { ...task }
  expect(await nextSnapshotRef(task)).toBe('refs/baton/r1/1')
  await gitIn(root, 'update-ref', 'refs/baton/r1/9', 'HEAD')
  await gitIn(root, 'update-ref', 'refs/baton/r10/50', 'HEAD')
  await gitIn(root, 'update-ref', 'refs/baton/r1/guard/70', 'HEAD')
  expect(await nextSnapshotRef(fresh)).toBe('refs/baton/r1/10')
})

test('snapshots that were made since the last one was numbered are not taken for free', async () => {
  const { root, task } = await makeTask()
  expect(await nextSnapshotRef(task)).toBe('refs/baton/r1/1')
  // Asked for and not made.
  expect(await nextSnapshotRef(task)).toBe('refs/baton/r1/1')
  const rounds: readonly (readonly [readonly number[], number])[] = [
    [[1], 2],
    [[2, 3], 4],
    [[4, 5, 6, 7, 8], 9],
    [[10], 11],
  ]
  for (const [made, next] of rounds) {
    for (const number of made) await gitIn(root, 'update-ref', `refs/baton/r1/${number}`, 'HEAD')
    expect(await nextSnapshotRef(task)).toBe(`refs/baton/r1/${next}`)
  }
})

describe('leftovers', () => {
  test('what was amended away, stashed or put on another branch becomes snapshots', async () => {
    const demo = await attempt()
    const { root, task, side } = demo
    await writeFiles(task.worktree, { 'a.txt': 'first thought\n' })
    const amended = await commitAll(task.worktree, 'first thought')
    await gitIn(task.worktree, 'commit', '--quiet', '--amend', '-m', 'second thought')
    await gitIn(task.worktree, 'branch', 'hidden')
    await writeFiles(task.worktree, { 'a.txt': 'stashed\n' })
    await gitIn(task.worktree, 'stash', '--quiet')
    await importFrom(demo)
    const leftovers = await keepLeftovers(task, side)
    if (leftovers.type === 'refused') throw new Error(leftovers.reason)
    expect(leftovers.snapshots.map(({ ref }) => ref)).toEqual(['refs/baton/r1/2', 'refs/baton/r1/3'])
    expect(leftovers.snapshots.map(({ commit }) => commit)).toContain(amended)
    const texts = await Promise.all(leftovers.snapshots.map(({ ref }) => gitIn(root, 'show', `${ref}:a.txt`)))
    expect(texts.toSorted()).toEqual(['first thought', 'stashed'])
    expect(await keepLeftovers(task, side)).toEqual({ type: 'kept', snapshots: [] })
  })

  test('they do not open a way for commits of another branch', async () => {
    const demo = await attempt()
    const { root, task, side, start } = demo
    await gitIn(root, 'checkout', '--quiet', '-b', 'foreign')
    const foreign = await commitAll(root, 'foreign')
    await gitIn(task.worktree, 'merge', '--quiet', '--ff-only', foreign)
    const child = await commitAll(task.worktree, 'upon it')
    await keepLeftovers(task, side)
    const again = await openPrivateDir(task, { name: 'two', tip: start })
    await gitIn(task.worktree, 'merge', '--quiet', '--ff-only', child)
    expect(await importFrom({ ...demo, side: again })).toMatchObject({ type: 'refused' })
  })
})
