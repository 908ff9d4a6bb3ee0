// Repositories within the repository: submodules, nested ones that an agent makes, sparse checkouts.
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { changes, runHard, shell } from '../support/hard.ts'

const identity = '-c user.name=A -c user.email=a@b.invalid'
const nest = (path: string): string =>
  `mkdir -p '${path}' && cd '${path}' && git init -q && echo inner > inner.txt && git add -A && git ${identity} commit -qm nested`

describe.concurrent('nested repositories', () => {
  test('git-flow rule 3: what an agent put into nested repositories, with commits or without, is on the branch as files', async () => {
    const root = await makeRepository({ '.gitignore': 'node_modules/\n' })
    const lines = [
      `(${nest('app')})`,
      `(${nest('app/deeper/still')})`,
      '(mkdir unborn && cd unborn && git init -q && echo x > x.txt)',
      '(mkdir only && cd only && git init -q)',
      `(${nest('sp ace "q"')})`,
      `(${nest('x 160000 y\tz')})`,
      'mkdir app/node_modules && echo no > app/node_modules/m.js',
      'printf "*.log\\n" > app/.gitignore && echo no > app/a.log',
    ]
    const end = await runHard({
      at: root,
      does: [{ runs: [shell(lines.join(' && '))], writes: { 'work.txt': 'done\n' } }],
    })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({
      'app/.gitignore': '*.log',
      'app/deeper/still/inner.txt': 'inner',
      'app/inner.txt': 'inner',
      'sp ace "q"/inner.txt': 'inner',
      'unborn/x.txt': 'x',
      'work.txt': 'done',
      'x 160000 y\tz/inner.txt': 'inner',
    })
  })

  test('git-flow rule 3: one that was out of scope is taken away, its files into the snapshot, its .git into the folder of the run', async () => {
    const root = await makeRepository({ 'src/a.txt': 'a\n' })
    const does = [{ runs: [shell(`(${nest('src/app')})`)] }]
    const end = await runHard({ at: root, workflow: 'scoped', does })
    expect(end).toMatchObject({ status: 'failed' })
    expect(end.reason).toContain('src/app/inner.txt')
    expect(await readdir(join(end.worktree, 'src'))).toEqual(['a.txt'])
    expect(await changes(root, 'refs/baton/1/1')).toEqual({ 'src/app/inner.txt': 'inner' })
    const kept = join(end.folder.git, 'nested', 'src', 'app')
    expect(await gitIn(kept, '--git-dir=.git', 'log', '--format=%s')).toBe('nested')
  })

  test('git-flow rule 1: one that the agent itself committed as a link is refused and put back', async () => {
    const root = await makeRepository()
    const does = [{ runs: [shell(`(${nest('app')})`)], commits: 'with a nested repository' }]
    const end = await runHard({ at: root, workflow: 'coder', does })
    expect(end).toMatchObject({ status: 'failed' })
    expect(end.reason).toContain('a nested repository was committed: app')
    expect(await gitIn(root, 'rev-parse', end.branch)).toBe(await gitIn(root, 'rev-parse', 'main'))
    expect(await readdir(end.worktree)).toEqual(['.git', 'README.md'])
  })

  test('nothing that a nested repository has configured runs on the host', async () => {
    const root = await makeRepository()
    const trap = join(await makeFolder(), 'TRAPPED')
    const evil = ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'filter.x.clean', 'diff.external']
    const line = `(${nest('app')} && ${evil.map((key) => `git config ${key} 'touch ${trap}'`).join(' && ')} && echo '* filter=x' > .gitattributes)`
    const end = await runHard({ at: root, workflow: 'merge', does: [{ runs: [shell(line)] }] })
    expect(end.status).toBe('delivered')
    await expect(readFile(trap)).rejects.toThrow('ENOENT')
  })

  test.each([
    ['[submodule "x"]\n\tpath = x\n\turl = -u./payload\n', 'gitmodulesUrl'],
    ['[submodule "../../x"]\n\tpath = x\n\turl = x\n', 'gitmodulesName'],
    ['[submodule "x"]\n\tpath = x\n\turl = x\n\tupdate = !touch TRAPPED\n', 'gitmodulesUpdate'],
  ])(
    'git-flow rule 3: a hostile .gitmodules is refused, put back and kept as a tar (%j)',
    async (text, reason) => {
      const root = await makeRepository({ '.gitattributes': '*.txt export-ignore\n' })
      const end = await runHard({
        at: root,
        does: [{ writes: { '.gitmodules': text, 'work.txt': 'done\n' } }],
      })
      expect(end).toMatchObject({ status: 'failed' })
      expect(end.reason).toContain(reason)
      expect(await readdir(end.worktree)).toEqual(['.git', '.gitattributes'])
      const [tar = ''] = (await readdir(end.folder.git)).filter((name) => name.endsWith('.tar'))
      const folder = await makeFolder()
      await gitIn(folder, '-c', `alias.x=!tar -xf '${join(end.folder.git, tar)}'`, 'x')
      expect(await readFile(join(folder, '.gitmodules'), 'utf8')).toBe(text)
      expect(await readFile(join(folder, 'work.txt'), 'utf8')).toBe('done\n')
      expect(await gitIn(root, 'rev-parse', end.branch)).toBe(await gitIn(root, 'rev-parse', 'main'))
    },
  )
})

async function withSubmodule(): Promise<{ root: string; inner: string }> {
  const inner = await makeRepository({ 'inner.txt': 'one\n' })
  const root = await makeRepository()
  await gitIn(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub')
  await commitAll(root, 'with a submodule')
  return { root, inner }
}

describe.concurrent('submodules', () => {
  test('an initialised one stays at its commit; its folder is empty in the worktree', async () => {
    const { root } = await withSubmodule()
    const end = await runHard({ at: root, does: [{ writes: { 'work.txt': 'done\n' } }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    expect(await readdir(join(end.worktree, 'sub'))).toEqual([])
    expect(await readFile(join(root, 'sub', 'inner.txt'), 'utf8')).toBe('one\n')
  })

  test('one that was never initialised is no obstacle', async () => {
    const { root } = await withSubmodule()
    await gitIn(root, 'submodule', 'deinit', '--quiet', '--force', 'sub')
    await rm(join(root, '.git', 'modules'), { recursive: true })
    const end = await runHard({ at: root, workflow: 'merge', does: [{ writes: { 'work.txt': 'done\n' } }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
  })

  test('a set-up command may initialise it for the agents; the branch keeps its commit', async () => {
    const { root } = await withSubmodule()
    await writeFiles(root, {
      '.baton/config.yaml':
        'worktree: { setup: [[git, -c, protocol.file.allow=always, submodule, --quiet, update, --init]] }\n',
    })
    const end = await runHard({
      at: root,
      does: [{ expects_file: ['sub/inner.txt'], writes: { 'work.txt': 'done\n', 'sub/inner.txt': 'two\n' } }],
    })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
  })

  test('git-flow rule 1: moved by an agent to a commit that the main repository has: it crosses', async () => {
    const { root } = await withSubmodule()
    const there = await commitAll(join(root, 'sub'), 'two')
    const line = `git update-index --cacheinfo 160000,${there},sub && git commit -qm moved`
    const end = await runHard({ at: root, workflow: 'coder', does: [{ runs: [shell(line)] }] })
    expect(end.status).toBe('delivered')
    expect(await gitIn(root, 'rev-parse', `${end.branch}:sub`)).toBe(there)
  })

  test('git-flow rule 1: moved by an agent to a commit that nobody has: refused', async () => {
    const { root } = await withSubmodule()
    const line = `git update-index --cacheinfo 160000,${'1'.repeat(40)},sub && git commit -qm moved`
    const end = await runHard({ at: root, workflow: 'coder', does: [{ runs: [shell(line)] }] })
    expect(end).toMatchObject({ status: 'failed' })
    expect(end.reason).toContain('a nested repository was committed: sub')
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test('git-flow rule 1: added by an agent: refused', async () => {
    const { root, inner } = await withSubmodule()
    const line = `git -c protocol.file.allow=always submodule --quiet add ${inner} other && git commit -qm added`
    const end = await runHard({ at: root, workflow: 'coder', does: [{ runs: [shell(line)] }] })
    expect(end).toMatchObject({ status: 'failed' })
    expect(end.reason).toContain('a nested repository was committed: other')
    expect(await gitIn(root, 'rev-parse', end.branch)).toBe(await gitIn(root, 'rev-parse', 'main'))
  })

  test('removed, and replaced by files, by an agent: that is what the branch says', async () => {
    const { root } = await withSubmodule()
    const line =
      'rmdir sub && mkdir sub && echo vendored > sub/file.txt && git rm -q --cached sub && git rm -q -f .gitmodules && git add -A && git commit -qm vendored'
    const end = await runHard({ at: root, workflow: 'coder', does: [{ runs: [shell(line)] }] })
    expect(end.status).toBe('delivered')
    expect(await gitIn(root, 'diff', '--name-status', 'main', end.branch)).toBe(
      'D\t.gitmodules\nD\tsub\nA\tsub/file.txt',
    )
  })

  test('git-flow rule 3: what is written into the empty folder of a submodule is not lost', async () => {
    const { root } = await withSubmodule()
    const end = await runHard({
      at: root,
      workflow: 'scoped',
      does: [{ writes: { 'sub/new.txt': 'x\n', 'docs/a.md': 'a\n' } }],
    })
    expect(end).toMatchObject({ status: 'failed' })
    expect(end.reason).toContain('sub/new.txt')
  })
})

describe.concurrent('sparse checkouts', () => {
  const files = { 'top.txt': 't\n', 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'out/deep/c.txt': 'c\n' }

  test.each([
    ['cone', ['--cone', 'in']],
    ['patterns', ['--no-cone', '/in/', '/*.txt']],
    ['a sparse index', ['--cone', '--sparse-index', 'in']],
  ])('%s: the worktree is as sparse, what is left out stays on the branch', async (_, args) => {
    const root = await makeRepository(files)
    await gitIn(root, 'sparse-checkout', 'set', ...args)
    const does = [{ writes: { 'in/a.txt': 'changed\n', 'in/new.txt': 'new\n' } }]
    const end = await runHard({ at: root, workflow: 'merge', does })
    expect(end.status).toBe('delivered')
    expect(await readdir(end.worktree)).toEqual(['.git', 'in', 'top.txt'])
    expect(await changes(root, end.branch)).toEqual({ 'in/a.txt': 'changed', 'in/new.txt': 'new' })
    expect(await gitIn(root, 'ls-tree', '-r', '--name-only', end.branch)).toBe(
      'in/a.txt\nin/new.txt\nout/b.txt\nout/deep/c.txt\ntop.txt',
    )
  })

  test.each([
    ['cone', ['--cone', 'in']],
    ['patterns', ['--no-cone', '/in/']],
  ])(
    '%s: git-flow rule 3: what an agent writes outside of it is seen: on the branch, or put back',
    async (_, args) => {
      const root = await makeRepository(files)
      await gitIn(root, 'sparse-checkout', 'set', ...args)
      const does = [{ writes: { 'out/b.txt': 'changed\n', 'out/new.txt': 'new\n', 'else/where.txt': 'x\n' } }]
      const end = await runHard({ at: root, does })
      expect(end.status).toBe('delivered')
      expect(await changes(root, end.branch)).toEqual({
        'out/b.txt': 'changed',
        'out/new.txt': 'new',
        'else/where.txt': 'x',
      })
      const undone = await runHard({ at: root, workflow: 'scoped', does })
      expect(undone).toMatchObject({ status: 'failed' })
      expect(await gitIn(undone.worktree, 'status', '--porcelain')).toBe('')
      expect(await changes(root, 'refs/baton/2/1')).toEqual({
        'out/b.txt': 'changed',
        'out/new.txt': 'new',
        'else/where.txt': 'x',
      })
    },
  )
})
