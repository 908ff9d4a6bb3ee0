import { chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  commitAll,
  gitEnvironment,
  gitIn,
  makeFolder,
  makeRepository,
  testPerson,
  writeFiles,
} from '../../test/support/git.ts'
import { discoverRepository, resolveBase, resolveCommit } from './repository.ts'

/** Tables came with 2.45. */
const isBeforeTables = await gitIn('/', 'version').then((text) => {
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(text)?.[0] ?? '').split('.').map(Number)
  return major === 2 && minor < 45
})

test('a repository is found from any folder inside it, by its real path', async () => {
  const root = await makeRepository({ 'a/b/c.txt': 'x\n' })
  const link = join(await makeFolder(), 'link')
  await symlink(join(root, 'a', 'b'), link)
  expect(await discoverRepository(link, gitEnvironment)).toEqual({
    root,
    gitDir: join(root, '.git'),
    objectsDir: join(root, '.git', 'objects'),
    objectFormat: 'sha1',
    head: { type: 'branch', name: 'main', commit: await gitIn(root, 'rev-parse', 'HEAD') },
    identity: testPerson,
    config: { 'core.filemode': 'true' },
    excludes: '',
  })
})

test('from a linked worktree the common git directory is found, and that worktree is the root', async () => {
  const root = await makeRepository()
  const linked = join(await makeFolder(), 'linked')
  await gitIn(root, 'worktree', 'add', '--quiet', '-b', 'side', linked)
  const repo = await discoverRepository(linked, gitEnvironment)
  expect([repo.root, repo.gitDir]).toEqual([linked, join(root, '.git')])
  expect(await resolveBase(repo, 'HEAD')).toMatchObject({ name: 'side', ref: 'refs/heads/side' })
})

test('line endings and ignore rules of the user are taken along, filters are not', async () => {
  const root = await makeRepository()
  const home = await makeFolder()
  await writeFiles(home, {
    '.gitconfig': '[core]\n\tautocrlf = input\n\texcludesFile = ~/ignored\n[filter "lfs"]\n\tsmudge = evil\n',
    ignored: '*.swp\n',
  })
  const env = { ...gitEnvironment, HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') }
  const repo = await discoverRepository(root, env)
  expect(repo.config).toEqual({ 'core.autocrlf': 'input', 'core.filemode': 'true' })
  expect(repo.excludes).toBe('*.swp\n')
})

test('a repository whose refs are in tables is refused with what puts them into files', async () => {
  const root = await makeRepository()
  const refusal = {
    code: 'repository.ref_storage',
    message: `The repository keeps its refs in tables, and Baton needs them as files: ${root}`,
    next: 'git refs migrate --ref-format=files  (with git 2.46 or newer)',
  }
  // Of this version, every git reads it and shows the setting.
  await gitIn(root, 'config', 'extensions.refStorage', 'reftable')
  await expect(discoverRepository(root, gitEnvironment)).rejects.toMatchObject(refusal)
  await gitIn(root, 'config', 'extensions.refStorage', 'files')
  expect(await discoverRepository(root, gitEnvironment)).toMatchObject({ root })
})

test.runIf(isBeforeTables)('a git that does not know of such tables is understood', async () => {
  const root = await makeRepository()
  await gitIn(root, 'config', 'core.repositoryFormatVersion', '1')
  await gitIn(root, 'config', 'extensions.refStorage', 'reftable')
  await expect(discoverRepository(root, gitEnvironment)).rejects.toMatchObject({
    code: 'repository.ref_storage',
  })
})

test.runIf(!isBeforeTables)('tables that git itself has made are refused as well', async () => {
  const root = await makeFolder()
  await gitIn(root, 'init', '--quiet', '--ref-format=reftable')
  await expect(discoverRepository(root, gitEnvironment)).rejects.toMatchObject({
    code: 'repository.ref_storage',
  })
})

test('outside a repository the failure says how to make one', async () => {
  const folder = await makeFolder()
  await expect(discoverRepository(folder, gitEnvironment)).rejects.toMatchObject({
    code: 'repository.none',
    message: `Not inside a git repository: ${folder}`,
    next: "git init && git add -A && git commit --allow-empty -m 'first commit'  (or cd into a repository)",
  })
})

test('nobody is told to make a repository of a home folder', async () => {
  const home = await makeFolder()
  for (const folder of [home, dirname(home)])
    await expect(discoverRepository(folder, { ...gitEnvironment, HOME: home })).rejects.toMatchObject({
      code: 'repository.none',
      next: expect.stringMatching(
        /^cd into a repository {2}\(a new one: git init <folder> && cd <folder> && /,
      ),
    })
})

test('a bare repository is refused, and what to type can be typed', async () => {
  const folder = join(await makeFolder(), "Müller's & Co")
  await mkdir(folder)
  await gitIn(folder, 'init', '--quiet', '--bare')
  await expect(discoverRepository(folder, gitEnvironment)).rejects.toMatchObject({
    code: 'repository.bare',
    next: `git clone '${folder.replace("'", String.raw`'\''`)}' <folder> && cd <folder>`,
  })
})

test.skipIf(process.getuid?.() !== 0)("another user's repository is refused", async () => {
  const root = await makeRepository()
  await chown(root, 12_345, 12_345)
  await chown(join(root, '.git'), 12_345, 12_345)
  await expect(discoverRepository(root, gitEnvironment)).rejects.toMatchObject({
    code: 'repository.ownership',
  })
})

test('a repository without commits is known as unborn and cannot be a base', async () => {
  const folder = await makeFolder()
  await gitIn(folder, 'init', '--quiet', '--initial-branch=trunk')
  const repo = await discoverRepository(folder, gitEnvironment)
  expect(repo.head).toEqual({ type: 'unborn', name: 'trunk' })
  await expect(resolveBase(repo)).rejects.toMatchObject({ code: 'repository.unborn' })
})

test('GIT_DIR in the environment does not lead elsewhere', async () => {
  const root = await makeRepository()
  const other = await makeRepository()
  const repo = await discoverRepository(root, { ...gitEnvironment, GIT_DIR: join(other, '.git') })
  expect(repo.root).toBe(root)
})

test("the base is the remote's default branch where there is one", async () => {
  const origin = await makeRepository()
  const root = join(await makeFolder(), 'clone')
  await gitIn(origin, 'clone', '--quiet', origin, root)
  await gitIn(root, 'checkout', '--quiet', '-b', 'other')
  const repo = await discoverRepository(root, gitEnvironment)
  expect(await resolveBase(repo)).toEqual({
    name: 'main',
    ref: 'refs/remotes/origin/main',
    commit: await gitIn(origin, 'rev-parse', 'main'),
  })
})

test('without a remote the base is the current branch', async () => {
  const root = await makeRepository()
  const commit = await gitIn(root, 'rev-parse', 'HEAD')
  const repo = await discoverRepository(root, gitEnvironment)
  expect(await resolveBase(repo)).toEqual({ name: 'main', ref: 'refs/heads/main', commit })
})

test('a requested base may be a branch, a tag or a commit', async () => {
  const root = await makeRepository()
  const commit = await gitIn(root, 'rev-parse', 'HEAD')
  await gitIn(root, 'branch', 'feature')
  await gitIn(root, 'tag', '-a', '-m', 'one', 'v1')
  const repo = await discoverRepository(root, gitEnvironment)
  expect([
    await resolveBase(repo, 'feature'),
    await resolveBase(repo, 'v1'),
    await resolveBase(repo, commit),
  ]).toEqual([
    { name: 'feature', ref: 'refs/heads/feature', commit },
    { name: 'v1', ref: 'refs/tags/v1', commit },
    { name: commit, ref: undefined, commit },
  ])
})

test('a base that does not exist, or cannot be guessed, is said', async () => {
  const root = await makeRepository()
  await gitIn(root, 'checkout', '--quiet', '--detach')
  const repo = await discoverRepository(root, gitEnvironment)
  await expect(resolveBase(repo, 'nowhere')).rejects.toMatchObject({ code: 'base.missing' })
  await expect(resolveBase(repo, '--all')).rejects.toMatchObject({ code: 'base.missing' })
  await expect(resolveBase(repo)).rejects.toMatchObject({ code: 'base.unknown' })
})

test('a revision that is no commit resolves to nothing', async () => {
  const root = await makeRepository()
  await mkdir(join(root, 'x'))
  await writeFile(join(root, 'x', 'y'), 'z')
  const commit = await commitAll(root, 'second')
  await rm(join(root, 'x'), { recursive: true })
  const repo = await discoverRepository(root, gitEnvironment)
  expect([await resolveCommit(repo, 'HEAD'), await resolveCommit(repo, 'HEAD:x')]).toEqual([
    commit,
    undefined,
  ])
})

test('what git could not look up is not taken for a branch that is not there', async () => {
  const repo = await discoverRepository(await makeRepository(), gitEnvironment)
  const broken = { ...repo, gitDir: repo.objectsDir }
  await expect(resolveCommit(broken, 'refs/heads/main')).rejects.toMatchObject({
    code: 'git.failed',
    exitCode: 1,
  })
  expect(await resolveCommit(repo, 'refs/heads/nobody')).toBeUndefined()
})
