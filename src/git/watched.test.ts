import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../../test/support/git.ts'
import { branchesOfRuns, differences, keepBoth, keptAs, watchRepository } from './watched.ts'

test('refs, HEAD, configuration and hooks are watched; remote-tracking refs and snapshots are not', async () => {
  const root = await makeRepository()
  const gitDir = join(root, '.git')
  const before = await watchRepository({ gitDir })
  await gitIn(root, 'branch', 'new')
  await gitIn(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  await gitIn(root, 'update-ref', 'refs/baton/1/1', 'HEAD')
  await gitIn(root, 'config', 'alias.x', 'log')
  await gitIn(root, 'symbolic-ref', 'HEAD', 'refs/heads/new')
  await mkdir(join(gitDir, 'hooks', 'folder'), { recursive: true })
  await writeFile(join(gitDir, 'hooks', 'pre-commit'), '#!/bin/sh\n')
  await chmod(join(gitDir, 'hooks', 'pre-commit'), 0o755)
  const found = differences(before, await watchRepository({ gitDir }))
  expect(found.map(({ name }) => name)).toEqual(['HEAD', 'config', 'hooks/pre-commit', 'refs/heads/new'])
  expect(found[0]).toEqual({
    name: 'HEAD',
    before: 'ref: refs/heads/main\n',
    after: 'ref: refs/heads/new\n',
  })
})

test('both values are kept as refs, each time in a folder of its own', async () => {
  const root = await makeRepository()
  const gitDir = join(root, '.git')
  const commit = await gitIn(root, 'rev-parse', 'HEAD')
  const found = [
    { name: 'refs/heads/gone', before: commit },
    { name: 'config', before: 'old\n', after: 'new\n' },
  ]
  const first = await keepBoth({ gitDir }, '7', found)
  expect([first, await keepBoth({ gitDir }, '7', found)]).toEqual([
    'refs/baton/7/guard/1',
    'refs/baton/7/guard/2',
  ])
  expect(await gitIn(root, 'rev-parse', keptAs(first, 'refs/heads/gone', 'before'))).toBe(commit)
  expect(await gitIn(root, 'show', keptAs(first, 'config', 'after'))).toBe('new')
})

test('the branches of runs are known, of one that is being made as well', async () => {
  const runs = await makeFolder()
  await writeFiles(runs, {
    '1/git/engine/HEAD': 'ref: refs/heads/task/1-a\n',
    '2/git/workspace.json': '{"state":"creating","branch":{"name":"task/2-b","start":"x"}}\n',
    '3/lock': '',
    '1.log.jsonl': '',
  })
  expect(await branchesOfRuns(runs)).toEqual(new Set(['refs/heads/task/1-a', 'refs/heads/task/2-b']))
})
