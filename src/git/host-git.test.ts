import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeRepository } from '../../test/support/git.ts'
import { git, gitText, succeeded } from './host-git.ts'

test('a failure names the command and the first line of what git said', async () => {
  const gitDir = join(await makeRepository(), '.git')
  await expect(git(['rev-parse', '--verify', 'nowhere'], { gitDir })).rejects.toMatchObject({
    code: 'git.failed',
    message: 'git rev-parse --verify nowhere failed: Needed a single revision',
  })
})

test('where git may not write, nobody is sent to look for broken objects', () => {
  const denied = { code: 128, stdout: Buffer.of(), stderr: 'fatal: cannot lock ref: Permission denied\n' }
  const folder = { ...denied, stderr: 'fatal: unable to create directory for /x/.git/refs/heads/task/1\n' }
  for (const result of [denied, folder])
    expect(() => succeeded(['update-ref'], result)).toThrow(
      expect.objectContaining({
        next: expect.stringMatching(/^Put that right, then type the command again;/),
      }),
    )
})

test('a failure that was allowed for is a result', async () => {
  const gitDir = join(await makeRepository(), '.git')
  const result = await git(['rev-parse', '--verify', 'nowhere'], { gitDir, allowFailure: true })
  expect(result.code).toBe(128)
})

test("hooks and helpers of the repository's own configuration do not run", async () => {
  const root = await makeRepository()
  const gitDir = join(root, '.git')
  const trap = `touch ${root}/TRAPPED`
  await gitIn(root, 'config', 'core.fsmonitor', trap)
  await gitIn(root, 'config', 'diff.external', trap)
  await writeFile(join(gitDir, 'hooks', 'reference-transaction'), `#!/bin/sh\n${trap}\n`, { mode: 0o755 })
  await git(['update-ref', 'refs/baton/x', 'HEAD'], { gitDir })
  await git(['status'], { gitDir, workTree: root })
  expect(await gitText(['ls-files', '--others'], { gitDir, workTree: root })).toBe('')
})

test('git that may start no program fails where it needs one', async () => {
  const root = await makeRepository()
  const options = { gitDir: join(root, '.git'), mayStartPrograms: false, allowFailure: true }
  expect((await git(['log', '-1', '--format=%s'], options)).stdout.toString()).toBe('first commit\n')
  expect((await git(['submodule', 'status'], options)).code).not.toBe(0)
})

test('git-flow rule 7: objects and refs are on the disk when git has ended', async () => {
  const root = await makeRepository()
  const gitDir = join(root, '.git')
  const synced = async (name: string, args: readonly string[], input = ''): Promise<number> => {
    const trace = join(root, name)
    await git(args, { gitDir, input, env: { GIT_TRACE2_EVENT: trace } })
    // Git counts by itself how often it had the disk flushed.
    const counted = /"key":"fsync\/hardware-flush","value":"(\d+)"/.exec(await readFile(trace, 'utf8'))
    return Number(counted?.[1] ?? 0)
  }
  expect(await synced('object', ['hash-object', '-w', '--stdin'], 'new')).toBeGreaterThan(0)
  expect(await synced('ref', ['update-ref', 'refs/baton/1/1', 'HEAD'])).toBeGreaterThan(0)
})
