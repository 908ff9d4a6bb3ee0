// Names that are difficult: an agent writes, changes and moves such files, and the branch holds exactly these.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, makeRepository, writeFiles } from '../support/git.ts'
import { changes, runHard, shell } from '../support/hard.ts'

const names = [
  'with space.txt',
  ' leading and trailing ',
  'ümläut.txt',
  'u\u0308mla\u0308ut.txt',
  '日本語/ファイル.txt',
  'emoji \u{1F600}.txt',
  'line\nbreak.txt',
  'tab\tstop.txt',
  'return\r.txt',
  `quo"te and apo'strophe.txt`,
  '-dash.txt',
  '--help',
  'a:b.txt',
  ':(top)magic',
  ':!not',
  '*.glob',
  '[brackets]?.txt',
  'back\\slash.txt',
  '$HOME `id`.txt',
  '#comment',
  '!bang',
  'x'.repeat(255),
  `${'deep/'.repeat(60)}down.txt`,
  '.gitkeep',
  'CON',
  'bell\u0007\u001b[31m.txt',
]

const texts = (text: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `${text}\n`]))
const contents = (text: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, text]))

describe.concurrent('files with difficult names', () => {
  test('are added by the engine', async () => {
    const root = await makeRepository()
    const end = await runHard({ at: root, does: [{ writes: texts('new') }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual(contents('new'))
  })

  test('are changed and committed by the agent itself', async () => {
    const root = await makeRepository(texts('old'))
    const does = [{ writes: texts('new'), commits: 'all of them' }]
    const end = await runHard({ at: root, workflow: 'coder', does })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual(contents('new'))
  })

  test('are put back when they were out of scope, and new ones are taken away', async () => {
    const root = await makeRepository({ ...texts('old'), 'docs/a.md': 'a\n' })
    const does = [{ writes: { ...texts('new'), 'fresh\nfile': 'x\n', 'docs/a.md': 'b\n' } }]
    const end = await runHard({ at: root, workflow: 'scoped', does })
    expect(end).toMatchObject({ status: 'failed' })
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
    for (const name of names) expect(await readFile(join(end.worktree, name), 'utf8')).toBe('old\n')
    expect(await changes(root, 'refs/baton/1/1')).toEqual({
      ...contents('new'),
      'fresh\nfile': 'x',
      'docs/a.md': 'b',
    })
  })

  test('names that are no UTF-8 are added, changed, deleted and put back', async () => {
    const root = await makeRepository()
    const latin = (name: string): Buffer => Buffer.from(`${root}/${name}`, 'latin1')
    await writeFile(latin('caf\xe9'), 'old\n')
    await writeFile(latin('gone\xff'), 'old\n')
    await gitIn(root, 'add', '-A')
    await gitIn(root, 'commit', '--quiet', '-m', 'latin')
    const line = String.raw`rm "$(printf 'gone\377')"; echo new > "$(printf 'caf\351')"; echo new > "$(printf 'n\351')"`
    const end = await runHard({ at: root, does: [{ runs: [shell(line)] }] })
    expect(end.status).toBe('delivered')
    const list = (args: string): Promise<string> =>
      gitIn(root, '-c', 'core.quotePath=true', 'diff', '--name-status', args)
    const changed = 'M\t"caf\\351"\nD\t"gone\\377"\nA\t"n\\351"'
    expect(await list(`main..${end.branch}`)).toBe(changed)

    const undone = await runHard({ at: root, workflow: 'scoped', does: [{ runs: [shell(line)] }] })
    expect(undone.reason).toContain('caf\\xe9')
    expect(await gitIn(undone.worktree, 'status', '--porcelain')).toBe('')
    expect(await list('main..refs/baton/2/1')).toBe(changed)
  })

  test('names that differ only in case, and a rename that changes only the case', async () => {
    const root = await makeRepository({ 'a.txt': 'lower\n', 'A.txt': 'upper\n', 'read.me': 'x\n' })
    const does = [
      {
        writes: { 'A.txt': 'changed\n' },
        runs: [shell('mv read.me READ.me; mkdir Dir dir; echo 1 > Dir/x; echo 2 > dir/x')],
      },
    ]
    const end = await runHard({ at: root, does })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({
      ...{ 'A.txt': 'changed', 'READ.me': 'x', 'read.me': 'deleted', 'Dir/x': '1', 'dir/x': '2' },
    })
  })

  test('the two forms of one Unicode name are two files', async () => {
    const root = await makeRepository({ '\u00fc': 'composed\n' })
    const end = await runHard({ at: root, does: [{ writes: { 'u\u0308': 'decomposed\n' } }] })
    expect(await changes(root, end.branch)).toEqual({ 'u\u0308': 'decomposed' })
    expect((await readdir(end.worktree)).toSorted()).toEqual(['.git', 'u\u0308', '\u00fc'])
  })

  test.each(['.GIT/config', 'git~1', 'sub/.Git/HEAD', '.g\u200cit/x'])(
    'git-flow rule 3: %j, which git cannot store, stays in the worktree and stops nothing',
    async (name) => {
      const root = await makeRepository()
      const end = await runHard({ at: root, does: [{ writes: { [name]: 'evil\n', 'work.txt': 'done\n' } }] })
      expect(end.status).toBe('delivered')
      expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
      expect(await readFile(join(end.worktree, name), 'utf8')).toBe('evil\n')
    },
  )

  test('set-up files with difficult names are kept out of every commit', async () => {
    const root = await makeRepository()
    await writeFiles(root, {
      '.baton/config.yaml': String.raw`worktree: { setup: [[sh, -c, "echo 1 > \"$(printf 'a\\nb [x] *!#')\"; mkdir 'd e'; echo 1 > 'd e/f'; echo 1 > \"$(printf 'n\\351')\""]] }`,
    })
    const end = await runHard({ at: root, does: [{ writes: { 'work.txt': 'done\n' } }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    expect((await readdir(end.worktree)).length).toBe(6)
  })
})
