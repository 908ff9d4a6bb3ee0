// What files are and hold: links, modes, line endings, filters, submodules, nested repositories.
import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { changes, photograph, runHard, shell } from '../support/hard.ts'

/** Mode and path of everything on a branch that is not on main. */
async function modes(root: string, branch: string): Promise<string[]> {
  const list = await gitIn(root, 'diff', '--raw', '--no-abbrev', '--no-renames', 'main', branch)
  return list.split('\n').map((line) => line.replace(/^:(\d+) (\d+) \S+ \S+ (\w)\t/, '$1 $2 $3 '))
}

describe.concurrent('links, modes and kinds', () => {
  test('symbolic links of every kind are stored as links and never followed', async () => {
    const root = await makeRepository({ 'dir/a.txt': 'a\n', 'gone.txt': 'x\n' })
    const outside = await makeFolder()
    await writeFiles(outside, { 'secret.txt': 'secret\n' })
    const before = await photograph(outside)
    const symlinks = {
      inside: 'dir/a.txt',
      outside: join(outside, 'secret.txt'),
      dangling: 'nowhere',
      folder: 'dir',
      away: outside,
      loop: 'loop',
      'dir/up': '..',
    }
    const end = await runHard({ at: root, does: [{ symlinks }] })
    expect(end.status).toBe('delivered')
    const names = Object.keys(symlinks).toSorted()
    expect(await modes(root, end.branch)).toEqual(names.map((name) => `000000 120000 A ${name}`))
    expect(await changes(root, end.branch)).toEqual(symlinks)
    expect(await photograph(outside)).toEqual(before)
  })

  const replaced = {
    file: 'rm dir/a.txt; rmdir dir; echo file > dir',
    folder: 'rm plain; mkdir plain; echo inner > plain/inner',
    link: 'rm plain; ln -s dir plain',
    'folder by a link': 'mv dir moved; ln -s moved dir',
    'link by a folder': 'rm link; mkdir link; echo inner > link/inner',
    'link by a file': 'rm link; echo file > link',
    mode: 'chmod +x plain; chmod -x run.sh',
  }

  test.each(Object.entries(replaced))(
    'replaced by a %s: committed, and put back where it was out of scope',
    async (_, line) => {
      const root = await makeRepository({ 'dir/a.txt': 'a\n', plain: 'plain\n', 'run.sh': 'true\n' })
      await symlink('dir/a.txt', join(root, 'link'))
      await chmod(join(root, 'run.sh'), 0o755)
      await commitAll(root, 'more')
      const end = await runHard({ at: root, does: [{ runs: [shell(line)] }] })
      expect(end.status).toBe('delivered')
      const expected = await gitIn(end.worktree, 'diff', '--raw', 'HEAD')
      expect(expected).toBe('')
      const undone = await runHard({ at: root, workflow: 'scoped', does: [{ runs: [shell(line)] }] })
      expect(undone.status).toBe('failed')
      expect(await gitIn(undone.worktree, 'status', '--porcelain')).toBe('')
      expect(await gitIn(root, 'rev-parse', 'refs/baton/2/1^{tree}')).toBe(
        await gitIn(root, 'rev-parse', `${end.branch}^{tree}`),
      )
    },
  )

  test.each([
    ['a file by a folder of ignored files', 'rm plain; mkdir plain; echo o > plain/x.o'],
    ['a folder by an ignored file', 'rm -r dir; echo o > dir'],
    ['a folder by an ignored link', 'rm -r dir; ln -s /nonexistent dir'],
    ['a file by an ignored folder in a folder', 'rm -r dir; mkdir -p dir/a.txt; echo o > dir/a.txt/x.o'],
  ])('git-flow rule 2: %s: put back, and what was in the way is kept in the snapshot', async (_, line) => {
    const root = await makeRepository({ '.gitignore': '*.o\n/dir\n', plain: 'plain\n' })
    await writeFiles(root, { 'dir/a.txt': 'a\n' })
    await gitIn(root, 'add', '-f', 'dir/a.txt')
    await commitAll(root, 'more')
    const end = await runHard({ at: root, workflow: 'scoped', does: [{ runs: [shell(line)] }] })
    expect(end).toMatchObject({ status: 'failed' })
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
    expect(await readFile(join(end.worktree, 'dir/a.txt'), 'utf8')).toBe('a\n')
    expect(await readFile(join(end.worktree, 'plain'), 'utf8')).toBe('plain\n')
    const kept = await gitIn(root, 'ls-tree', '-r', '--name-only', 'refs/baton/1/1')
    expect(kept.split('\n')).toContain(line.includes('x.o') ? line.replace(/.* > /, '') : 'dir')
  })

  test('empty folders, pipes and sockets are no content, and hold nothing up', async () => {
    const root = await makeRepository()
    const end = await runHard({
      at: root,
      does: [{ runs: [shell('mkdir -p empty/er; mkfifo pipe')], writes: { 'work.txt': 'done\n' } }],
    })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
  })
})

describe.concurrent('line endings and conversions', () => {
  test.each(['true', 'input', 'false'])(
    'core.autocrlf=%s: what the agent did not touch stays as it was',
    async (value) => {
      const root = await makeRepository({ 'lf.txt': 'a\nb\n', 'edit.txt': 'a\nb\n' })
      await writeFiles(root, { 'crlf.txt': 'a\r\nb\r\n', 'mixed.txt': 'a\r\nb\n' })
      await gitIn(root, '-c', 'core.autocrlf=false', 'add', '-A')
      await gitIn(root, 'commit', '--quiet', '-m', 'crlf')
      await gitIn(root, 'config', 'core.autocrlf', value)
      const ending = value === 'true' ? '\r\n' : '\n'
      const end = await runHard({
        at: root,
        does: [
          { runs: [shell(`printf 'c${ending === '\n' ? String.raw`\n` : String.raw`\r\n`}' >> edit.txt`)] },
        ],
      })
      expect(end.status).toBe('delivered')
      expect(await readFile(join(end.worktree, 'lf.txt'), 'utf8')).toBe(`a${ending}b${ending}`)
      expect(await readFile(join(end.worktree, 'crlf.txt'), 'utf8')).toBe('a\r\nb\r\n')
      expect(await changes(root, end.branch)).toEqual({ 'edit.txt': 'a\nb\nc' })
      expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
    },
  )

  test('text, eol, ident and working-tree-encoding attributes hold in the worktree and on the branch', async () => {
    const root = await makeRepository({
      '.gitattributes':
        '*.bat text eol=crlf\n*.utf16 text working-tree-encoding=UTF-16LE\n*.id ident\n*.bin -text\n',
      'run.bat': 'echo\n',
      'v.id': '$Id$\n',
      'b.bin': 'a\r\n',
    })
    await writeFile(join(root, 'wide.utf16'), Buffer.from('wide\n', 'utf16le'))
    await commitAll(root, 'wide')
    const does = [
      {
        runs: [
          shell(
            String.raw`printf 'n\0e\0w\0\n\0' > new.utf16; printf 'more\r\n' >> run.bat; echo more >> v.id`,
          ),
        ],
      },
    ]
    const end = await runHard({ at: root, does })
    expect(end.status).toBe('delivered')
    expect(await readFile(join(end.worktree, 'wide.utf16'))).toEqual(Buffer.from('wide\n', 'utf16le'))
    expect(await readFile(join(end.worktree, 'run.bat'), 'utf8')).toBe('echo\r\nmore\r\n')
    expect(await changes(root, end.branch)).toEqual({
      'new.utf16': 'new',
      'run.bat': 'echo\nmore',
      'v.id': '$Id$\nmore',
    })
  })

  test("the user's own .git/info/attributes hold in the task too", async () => {
    const root = await makeRepository({ 'run.bat': 'echo\n' })
    await writeFiles(root, { '.git/info/attributes': '*.bat text eol=crlf' })
    const end = await runHard({ at: root, does: [{ writes: { 'new.bat': 'one\r\n' } }] })
    expect(await readFile(join(end.worktree, 'run.bat'), 'utf8')).toBe('echo\r\n')
    expect(await gitIn(root, 'cat-file', 'blob', `${end.branch}:new.bat`)).toBe('one')
    expect(await gitIn(root, 'diff-tree', '-r', '--name-only', 'main', end.branch)).toBe('new.bat')
  })

  test('git-flow rule 3: a file that cannot be converted is kept with its bytes', async () => {
    const root = await makeRepository({ '.gitattributes': '*.utf16 text working-tree-encoding=UTF-16\n' })
    const does = [
      { writes: { 'plain.utf16': 'no byte order mark', 'a b.utf16': 'nor here', 'work.txt': 'done\n' } },
    ]
    const end = await runHard({ at: root, does })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({
      ...{ 'a b.utf16': 'nor here', 'plain.utf16': 'no byte order mark', 'work.txt': 'done' },
    })
  })

  test('files that git would convert, although nobody touched them, are not committed', async () => {
    const root = await makeRepository({ 'old.txt': 'a\r\nb\r\n', 'old.sh': 'x\r\n' })
    await writeFiles(root, { '.gitattributes': '*.txt text\n*.sh eol=lf\n' })
    await gitIn(root, 'add', '.gitattributes')
    await gitIn(root, 'commit', '--quiet', '-m', 'attributes')
    const end = await runHard({ at: root, does: [{ writes: { 'work.md': 'done\n' } }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.md': 'done' })
  })

  test("the user's filters, diff drivers, merge drivers and text conversions never run; large files stay pointers", async () => {
    const root = await makeRepository()
    const trap = join(root, 'TRAPPED')
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`
    await writeFiles(root, {
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt filter=evil diff=evil merge=evil\n',
      'big.bin': pointer,
      'a.txt': 'a\n',
    })
    await commitAll(root, 'pointers')
    for (const [key, value] of Object.entries({
      'filter.lfs.smudge': `touch ${trap}; sleep 60`,
      'filter.lfs.clean': `touch ${trap}; sleep 60`,
      'filter.lfs.process': `touch ${trap}; sleep 60`,
      'filter.lfs.required': 'true',
      'filter.evil.smudge': `touch ${trap}`,
      'filter.evil.clean': `touch ${trap}`,
      'diff.evil.command': `touch ${trap}`,
      'diff.evil.textconv': `touch ${trap}`,
      'merge.evil.driver': `touch ${trap}`,
    }))
      await gitIn(root, 'config', key, value)
    const end = await runHard({
      at: root,
      workflow: 'merge',
      does: [{ writes: { 'a.txt': 'b\n', 'new.bin': 'bytes\n' } }],
    })
    expect(end.status).toBe('delivered')
    expect(await readdir(root)).not.toContain('TRAPPED')
    expect(await readFile(join(end.worktree, 'big.bin'), 'utf8')).toBe(pointer)
    expect(await gitIn(root, 'cat-file', '-p', `${end.branch}:new.bin`)).toBe('bytes')
    expect(await gitIn(root, 'diff-tree', '-r', '--name-only', 'main', end.branch)).toBe('a.txt\nnew.bin')
  })

  test('with Git LFS set up as it sets itself up, and not installed, pointers stay what they are, and people are told', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`
    const root = await makeRepository({
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      ...{ 'big.bin': pointer, 'moved.bin': pointer, 'gone.bin': pointer },
    })
    for (const [key, value] of Object.entries({
      'filter.lfs.clean': 'git-lfs clean -- %f',
      'filter.lfs.smudge': 'git-lfs smudge -- %f',
      'filter.lfs.process': 'git-lfs filter-process',
      'filter.lfs.required': 'true',
    }))
      await gitIn(root, 'config', key, value)
    for (const hook of ['pre-push', 'post-checkout', 'post-commit', 'post-merge'])
      await writeFiles(root, { [`.git/hooks/${hook}`]: '#!/bin/sh\nexit 2\n' })
    const runs = [shell('git mv moved.bin there.bin && git rm -q gone.bin && git commit -qm work')]
    const end = await runHard({ at: root, workflow: 'coder', does: [{ runs }] })
    expect(`${end.status} ${end.reason}`).toContain('delivered')
    expect(await gitIn(root, 'diff-tree', '-r', '--name-status', 'main', end.branch)).toBe(
      'D\tgone.bin\nD\tmoved.bin\nA\tthere.bin',
    )
    expect(await readFile(join(end.worktree, 'big.bin'), 'utf8')).toBe(pointer)
    const journal = await readFile(join(root, '.baton/runs/1.log.jsonl'), 'utf8')
    expect(journal).toContain('"about":"lfs"')
  })

  test('export-ignore and export-subst leave nothing out and change nothing', async () => {
    const root = await makeRepository({
      '.gitattributes': '*.x export-ignore\nv export-subst\n',
      v: '$Format:%H$\n',
    })
    const end = await runHard({ at: root, does: [{ writes: { 'a.x': 'kept\n' } }] })
    expect(await changes(root, end.branch)).toEqual({ 'a.x': 'kept' })
  })

  test('what is handed over in the worktree is no work of the agent, also where the project ignores nothing of it', async () => {
    const root = await makeRepository({ '.gitignore': '!.baton/**\n' })
    const end = await runHard({ at: root, workflow: 'reader', does: [{ writes: { 'docs/a.md': 'a\n' } }] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'docs/a.md': 'a' })
  })
})
