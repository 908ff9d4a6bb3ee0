import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  commitAll,
  gitEnvironment,
  gitIn,
  makeFolder,
  makeRepository,
  writeFiles,
} from '../../test/support/git.ts'
import { discoverRepository } from './repository.ts'
import { fetchBranch, pushBranch, remoteUrl } from './remote.ts'
import type { Push, RemoteGit } from './remote.ts'

describe('a push of a task branch', () => {
  it('makes the branch where there is none, and says so again where it is there already', async () => {
    const { git, at, push } = await withRemote()
    const tip = await commit(git, 'one')
    expect(await push({ tip })).toEqual({ type: 'pushed' })
    expect(await at('task')).toBe(tip)
    expect(await push({ tip })).toEqual({ type: 'pushed' })
  })

  it('moves it forward from what the task itself has put there', async () => {
    const { git, at, push } = await withRemote()
    const first = await commit(git, 'one')
    await push({ tip: first })
    const tip = await commit(git, 'two')
    expect(await push({ tip, isOurs: async (one) => one === first })).toEqual({ type: 'pushed' })
    expect(await at('task')).toBe(tip)
  })

  it.each([
    ['is contained, but not from the task', 'HEAD', false],
    ['has never been seen here', undefined, true],
  ] as const)('leaves a commit that %s', async (_, known, isOurs) => {
    const { git, at, push, bare } = await withRemote()
    const theirs = known === undefined ? await foreign(bare) : await gitIn(git.repo.root, 'rev-parse', known)
    await gitIn(bare, 'update-ref', 'refs/heads/task', theirs)
    const tip = await commit(git, 'one')
    expect(await push({ tip, isOurs: async () => isOurs })).toEqual({ type: 'moved', at: theirs })
    expect(await at('task')).toBe(theirs)
  })

  it('leaves a commit of the task that the new one does not contain', async () => {
    const { git, at, push } = await withRemote()
    const first = await commit(git, 'one')
    await push({ tip: first })
    await gitIn(git.repo.root, 'reset', '--quiet', '--hard', 'HEAD~1')
    const tip = await commit(git, 'other')
    expect(await push({ tip })).toEqual({ type: 'moved', at: first })
    expect(await at('task')).toBe(first)
  })

  it('sends neither tags nor another branch, whatever the user has configured', async () => {
    const { git, bare, push } = await withRemote()
    const { root } = git.repo
    await gitIn(root, 'config', 'push.followTags', 'true')
    await gitIn(root, 'config', 'remote.origin.push', 'refs/heads/*')
    const tip = await commit(git, 'one')
    await gitIn(root, 'tag', '--annotate', '--message', 'x', 'v1')
    await push({ tip })
    expect(await gitIn(bare, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/heads/task')
  })

  it('says why the other side refuses', async () => {
    const { git, bare, push } = await withRemote()
    await writeFiles(bare, { 'hooks/pre-receive': '#!/bin/sh\necho "no pushes on Fridays"\nexit 1\n' })
    await gitIn(bare, 'config', 'core.hooksPath', join(bare, 'hooks'))
    await chmod(join(bare, 'hooks/pre-receive'), 0o755)
    expect(await push({ tip: await commit(git, 'one') })).toEqual({
      type: 'failed',
      why: expect.stringContaining('no pushes on Fridays') as unknown,
    })
  })

  it('says that the remote cannot be reached, without the password of its address', async () => {
    const { git, push } = await withRemote()
    await gitIn(git.repo.root, 'remote', 'set-url', 'origin', 'http://ada:secret@127.0.0.1:1/x.git')
    const pushed = await push({ tip: await commit(git, 'one') })
    expect(pushed.type).toBe('failed')
    expect(JSON.stringify(pushed)).not.toContain('secret')
  })
})

describe('a remote', () => {
  it('has an address, or is not there', async () => {
    const { git, bare } = await withRemote()
    expect(await remoteUrl(git)).toBe(bare)
    expect(await remoteUrl({ ...git, remote: 'upstream' })).toBeUndefined()
  })

  it("gives a branch into a ref of the run's own, and nothing else moves", async () => {
    const { git, bare } = await withRemote()
    const theirs = await foreign(bare)
    await gitIn(bare, 'update-ref', 'refs/heads/main', theirs)
    const into = 'refs/baton/1/base'
    expect(await fetchBranch(git, { branch: 'main', into })).toEqual({ type: 'done', value: theirs })
    expect(await gitIn(git.repo.root, 'for-each-ref', '--format=%(refname)')).toBe(`${into}\nrefs/heads/main`)
    expect(await fetchBranch(git, { branch: 'nowhere', into })).toMatchObject({ type: 'failed' })
  })
})

interface WithRemote {
  readonly git: RemoteGit
  readonly bare: string
  readonly push: (push: Partial<Push> & { readonly tip: string }) => ReturnType<typeof pushBranch>
  readonly at: (branch: string) => Promise<string>
}

async function withRemote(): Promise<WithRemote> {
  const root = await makeRepository()
  const bare = join(await makeFolder(), 'remote.git')
  await gitIn(root, 'clone', '--quiet', '--bare', root, bare)
  await gitIn(root, 'remote', 'add', 'origin', bare)
  const repo = await discoverRepository(root, gitEnvironment)
  const git = { repo, remote: 'origin', env: gitEnvironment }
  return {
    ...{ git, bare },
    push: (push) => pushBranch(git, { branch: 'task', isOurs: async () => true, ...push }),
    at: (branch) => gitIn(bare, 'rev-parse', `refs/heads/${branch}`),
  }
}

async function commit({ repo }: RemoteGit, name: string): Promise<string> {
  await writeFiles(repo.root, { [`${name}.txt`]: `${name}\n` })
  return commitAll(repo.root, name)
}

/** A commit that only the remote has. */
async function foreign(bare: string): Promise<string> {
  return gitIn(bare, 'commit-tree', '-p', 'main', '-m', 'theirs', 'main^{tree}')
}
