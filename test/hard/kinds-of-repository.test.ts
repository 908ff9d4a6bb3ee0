// Repositories that are not a plain clone: each is run in as it is, and ends with the worker's file on its branch.
import { chown, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baton, refusalOf } from '../e2e/baton.ts'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { changes, hardHome, runHard, scriptOf } from '../support/hard.ts'
import type { HardEnd, HardRun } from '../support/hard.ts'

const wrote: HardRun['does'] = [{ writes: { 'work.txt': 'done\n' } }]

/** Runs the worker and expects what any repository has to end with; gives what else there is to look at. */
async function works(run: Omit<HardRun, 'does'> & { readonly from?: string }): Promise<HardEnd> {
  const { from = run.base ?? 'main', ...rest } = run
  const end = await runHard({ ...rest, does: wrote })
  expect(end).toMatchObject({ status: 'delivered', branch: 'task/1-work' })
  expect(await changes(run.at, end.branch, from)).toEqual({ 'work.txt': 'done' })
  expect(await gitIn(end.worktree, 'status', '--porcelain', '--branch')).toMatch(/^## task\/1-work[^\n]*$/)
  return end
}

async function clone(from: string, ...options: readonly string[]): Promise<string> {
  const to = join(await makeFolder(), 'clone')
  await gitIn(from, 'clone', '--quiet', ...options, `file://${from}`, to)
  return to
}

describe.concurrent('where the repository is', () => {
  test.each([
    'with spaces and ümläuts',
    'Straße \u0061\u0308',
    'a:b',
    `quo"te's`,
    'back\\slash',
    'line\nbreak',
    '-dash',
    '$HOME `x` *',
    'trailing ',
  ])('in a folder named %j', async (name) => {
    await works({ at: await makeRepository({ 'README.md': 'hello\n' }, { name }) })
  })

  test('the repository is itself a linked worktree, of another branch', async () => {
    const root = await makeRepository()
    const linked = join(dirname(root), 'linked')
    await gitIn(root, 'worktree', 'add', '--quiet', '-b', 'other', linked)
    await commitAll(linked, 'on the other branch')
    const end = await works({ at: linked, from: 'other' })
    expect(await gitIn(root, 'merge-base', end.branch, 'other')).toBe(
      await gitIn(linked, 'rev-parse', 'HEAD'),
    )
    expect(end.folder.dir).toBe(join(root, '.baton', 'runs', '1'))
  })

  test('a linked worktree of a bare repository', async () => {
    const bare = await clone(await makeRepository(), '--bare')
    const linked = join(dirname(bare), 'linked')
    await gitIn(bare, 'worktree', 'add', '--quiet', linked, 'main')
    await works({ at: linked })
  })

  test('the checkout of a submodule', async () => {
    const inner = await makeRepository({ 'inner.txt': 'x\n' })
    const root = await makeRepository()
    await gitIn(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub')
    await commitAll(root, 'with a submodule')
    const end = await works({ at: join(root, 'sub'), from: 'origin/main' })
    expect(end.worktree).toBe(join(root, '.worktrees', '1-work'))
    expect(await gitIn(root, 'status', '--porcelain')).toBe('?? .worktrees/')
  })

  test('a repository whose git directory is elsewhere', async () => {
    const root = await makeRepository()
    const elsewhere = join(await makeFolder(), 'elsewhere')
    await gitIn(root, 'init', '--quiet', `--separate-git-dir=${elsewhere}`)
    await works({ at: root })
  })

  test('a subfolder, reached through a symbolic link', async () => {
    const root = await makeRepository({ 'deep/er/file.txt': 'x\n' })
    const link = join(await makeFolder(), 'link')
    await symlink(join(root, 'deep'), link)
    const end = await works({ at: join(link, 'er') })
    expect(end.worktree).toBe(join(dirname(root), '.worktrees', '1-work'))
  })

  test('git-flow rule 10: a repository of somebody else is refused with exit code 2, unless git was told that it is safe', async ({
    skip,
  }) => {
    // Only root can give a repository away.
    if (process.getuid?.() !== 0) skip()
    const root = await makeRepository()
    const script = await scriptOf(wrote)
    const args = ['run', 'Write the work', '--workflow', 'work', '--script', script]
    const home = await hardHome()
    await chown(root, 1234, 1234)
    await chown(join(root, '.git'), 1234, 1234)
    expect(refusalOf(await baton(root, args, { home }))).toEqual({
      error: `The repository belongs to another user: ${root}`,
      next: `Run as its owner, or: git config --global --add safe.directory ${root}`,
    })
    expect(await readdir(root)).toEqual(['.git', 'README.md'])
    const config = join(await makeFolder(), 'gitconfig')
    await writeFile(config, `[safe]\n\tdirectory = ${root}\n`)
    const ended = await baton(root, args, { home, env: { GIT_CONFIG_GLOBAL: config } })
    expect(ended).toMatchObject({ code: 0 })
  })
})

describe.concurrent('how much of it is there', () => {
  test('no remote, and refs that are all packed', async () => {
    const root = await makeRepository()
    await gitIn(root, 'pack-refs', '--all', '--prune')
    await works({ at: root })
  })

  test('a shallow clone of depth 1', async () => {
    const origin = await makeRepository()
    await commitAll(origin, 'second')
    const root = await clone(origin, '--depth=1')
    await works({ at: root })
    expect(await gitIn(root, 'rev-list', '--count', 'main')).toBe('1')
  })

  test('a clone that borrows its objects from another', async () => {
    const origin = await makeRepository()
    const root = join(dirname(origin), 'borrower')
    await gitIn(origin, 'clone', '--quiet', '--shared', origin, root)
    await works({ at: root })
  })

  test.each(['blob:none', 'tree:0'])('a partial clone with --filter=%s', async (filter) => {
    const origin = await makeRepository({ 'README.md': 'hello\n', 'src/a.txt': 'one\n' })
    await writeFiles(origin, { 'src/a.txt': 'two\n' })
    await commitAll(origin, 'second')
    await gitIn(origin, 'config', 'uploadpack.allowFilter', 'true')
    await gitIn(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    const root = await clone(origin, '--no-checkout', `--filter=${filter}`)
    const end = await works({ at: root })
    expect(await readFile(join(end.worktree, 'src', 'a.txt'), 'utf8')).toBe('two\n')
  })

  test('a clone that is partial and sparse at once', async () => {
    const origin = await makeRepository({ 'top.txt': 't\n', 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
    await gitIn(origin, 'config', 'uploadpack.allowFilter', 'true')
    await gitIn(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    const root = await clone(origin, '--sparse', '--filter=blob:none')
    await gitIn(root, 'sparse-checkout', 'set', 'in')
    const end = await works({ at: root })
    expect(await readdir(end.worktree)).toEqual(['.git', 'in', 'top.txt', 'work.txt'])
  })

  test('a partial clone whose remote is gone is refused, and nothing is left behind', async () => {
    const origin = await makeRepository()
    await gitIn(origin, 'config', 'uploadpack.allowFilter', 'true')
    const root = await clone(origin, '--no-checkout', '--filter=blob:none')
    await rename(origin, `${origin}-gone`)
    await expect(runHard({ at: root, does: wrote })).rejects.toMatchObject({
      code: 'repository.partial',
      exitCode: 2,
    })
    expect(await gitIn(root, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/baton')).toBe(
      'refs/heads/main',
    )
    expect(await readdir(join(dirname(root), '.worktrees'))).toEqual([])
  })

  test('a replaced commit and a graft change nothing for a run', async () => {
    const root = await makeRepository()
    const first = await gitIn(root, 'rev-parse', 'HEAD')
    const second = await commitAll(root, 'second')
    await gitIn(root, 'replace', '--graft', second)
    await writeFile(join(root, '.git', 'info', 'grafts'), `${second}\n`)
    const end = await works({ at: root })
    const parents = await gitIn(root, '--no-replace-objects', 'cat-file', '-p', `${end.branch}~1`)
    expect(parents).toContain(`parent ${first}`)
  })

  test('objects named by SHA-256', async () => {
    await works({ at: await makeRepository({ 'README.md': 'hello\n' }, { objectFormat: 'sha256' }) })
  })
})

describe.concurrent('what the base is', () => {
  test('a tag, an annotated tag, a commit, with no branch checked out', async () => {
    const root = await makeRepository()
    const start = await gitIn(root, 'rev-parse', 'HEAD')
    await gitIn(root, 'tag', 'light')
    await gitIn(root, 'tag', '-a', '-m', 'heavy', 'heavy')
    await commitAll(root, 'second')
    await gitIn(root, 'checkout', '--quiet', '--detach')
    for (const base of ['light', 'heavy', start]) {
      const end = await runHard({ at: root, base, does: wrote })
      expect(end.status).toBe('delivered')
      expect(await gitIn(root, 'rev-parse', `${end.branch}~1`)).toBe(start)
    }
    expect(await gitIn(root, 'rev-parse', '--symbolic-full-name', 'HEAD')).toBe('HEAD')
  })
})

const configured: Record<string, Record<string, string>> = {
  'commits that must be signed, with no program to sign': {
    'commit.gpgsign': 'true',
    'tag.gpgsign': 'true',
    'gpg.program': '/nonexistent',
    'log.showSignature': 'true',
  },
  'a commit template and an editor': { 'commit.template': '/nonexistent', 'core.editor': 'false' },
  'no identity, and none to be guessed': { 'user.useConfigOnly': 'true' },
  'aliases and colours': {
    'alias.commit': '!false',
    'alias.add': '!false',
    'color.ui': 'always',
    'diff.noprefix': 'true',
    'diff.external': 'false',
    'core.pager': 'false',
    'core.quotePath': 'true',
    'core.abbrev': '4',
  },
  'configuration of its own for each worktree': { 'extensions.worktreeConfig': 'true' },
  'an index of another make': {
    'index.version': '4',
    'core.splitIndex': 'true',
    'core.untrackedCache': 'true',
  },
  'branches of another name by default': { 'init.defaultBranch': 'trunk', 'push.default': 'nothing' },
  'a file system monitor': { 'core.fsmonitor': 'touch MONITORED; false' },
  'garbage collection at every turn': { 'gc.auto': '1', 'gc.pruneExpire': 'now' },
  'objects that must be checked': { 'transfer.fsckObjects': 'true', 'fetch.fsckObjects': 'true' },
}

describe.concurrent('how it is configured', () => {
  test.each(Object.keys(configured))('%s', async (name) => {
    const root = await makeRepository()
    if (name.startsWith('no identity')) {
      await gitIn(root, 'config', '--unset', 'user.name')
      await gitIn(root, 'config', '--unset', 'user.email')
    }
    for (const [key, value] of Object.entries(configured[name] ?? {})) await gitIn(root, 'config', key, value)
    const end = await runHard({
      at: root,
      workflow: 'coder',
      does: [{ writes: { 'work.txt': 'done\n' }, commits: 'feat: by itself' }],
    })
    expect(end.status).toBe('delivered')
    expect(
      await gitIn(root, '-c', 'log.showSignature=false', 'log', '--format=%s', 'main..task/1-work'),
    ).toBe('feat: by itself')
    expect(await readdir(root)).not.toContain('MONITORED')
  })
})
