import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, gitIn, makeFolder, makeTask, writeFiles } from '../../test/support/git.ts'
import { writeDiff } from './diff.ts'

test('only what the task changed is in the diff, not what the base did meanwhile', async () => {
  const { root, repo, task } = await makeTask()
  await writeFiles(task.worktree, { 'ü b.txt': 'new\n', 'README.md': 'changed\n' })
  const to = await commitAll(task.worktree, 'ours')
  const from = await commitAll(root, 'theirs')
  const file = join(await makeFolder(), 'task: 1.diff')
  const written = await writeDiff(repo, { from, to, file, maxBytes: 1_000_000 })
  const text = await readFile(file, 'utf8')
  expect(written).toEqual({ bytes: Buffer.byteLength(text), files: 2, cut: false })
  expect(text).toContain('+++ b/ü b.txt\t\n@@ -0,0 +1 @@\n+new\n')
  expect(text).not.toContain('.baton')
})

test('a diff that is too long is cut at a line and says so', async () => {
  const { repo, task, start } = await makeTask()
  await writeFiles(task.worktree, { 'long.txt': 'line\n'.repeat(1000) })
  const to = await commitAll(task.worktree, 'long')
  const file = join(await makeFolder(), 'diff')
  const written = await writeDiff(repo, { from: start, to, file, maxBytes: 503 })
  const text = await readFile(file, 'utf8')
  expect(written).toEqual({ bytes: text.length, files: 1, cut: true })
  expect(text.endsWith('+line\n')).toBe(true)
})

test("the repository's own diff programs do not run", async () => {
  const { root, repo, task, start } = await makeTask({ '.gitattributes': '*.md diff=evil\n', 'a.md': 'a\n' })
  await gitIn(root, 'config', 'diff.evil.textconv', `touch ${root}/TRAPPED; cat`)
  await gitIn(root, 'config', 'diff.evil.command', `touch ${root}/TRAPPED; true`)
  await writeFiles(task.worktree, { 'a.md': 'b\n' })
  const to = await commitAll(task.worktree, 'b')
  const file = join(await makeFolder(), 'diff')
  await writeDiff(repo, { from: start, to, file, maxBytes: 1000 })
  expect(await readFile(file, 'utf8')).toContain('-a\n+b\n')
  await expect(readFile(join(root, 'TRAPPED'))).rejects.toMatchObject({ code: 'ENOENT' })
})
