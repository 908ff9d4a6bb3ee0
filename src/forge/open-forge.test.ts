import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import { openForge } from './open-forge.ts'
import { readRemote } from './remote-address.ts'

const settings = { remote: 'origin', draft: false, labels: [], reviewers: [] }

describe('the forge behind a remote', () => {
  it.each([
    ['https://github.com/octo/till.git', { host: 'github.com', path: 'octo/till' }],
    ['git@github.com:octo/till.git', { host: 'github.com', path: 'octo/till' }],
    [
      'ssh://git@gitlab.example.org:2222/group/sub/till.git',
      { host: 'gitlab.example.org', path: 'group/sub/till' },
    ],
    ['https://user:secret@gitlab.com:8443/g/p', { host: 'gitlab.com', path: 'g/p', port: '8443' }],
    ['GitHub.Example.org:octo/till', { host: 'github.example.org', path: 'octo/till' }],
  ])('is found in %s', (url, found) => {
    expect(readRemote(url)).toEqual({ type: 'host', ...found })
  })

  it.each([
    '/srv/git/till.git',
    '../till',
    'file:///srv/till',
    'C:\\till',
    'C:/till',
    'https://github.com/',
    '',
  ])('is none in %s', (url) => {
    expect(readRemote(url)).toEqual({ type: 'local' })
  })

  it.each([
    ['https://github.com/octo/till', 'GitHub', 'octo/till', { GH_TOKEN: 't' }],
    ['git@github.com:octo/till.git', 'GitHub', 'octo/till', { GITHUB_TOKEN: 't' }],
    ['https://acme.ghe.com/octo/till', 'GitHub (acme.ghe.com)', 'octo/till', { GH_TOKEN: 't' }],
    [
      'https://github.acme.org/a/b',
      'GitHub (github.acme.org)',
      'a/b',
      { GH_HOST: 'github.acme.org', GH_ENTERPRISE_TOKEN: 't' },
    ],
    ['https://gitlab.com/g/s/p', 'GitLab', 'g/s/p', { GITLAB_TOKEN: 't' }],
    [
      'https://gitlab.acme.org/g/p',
      'GitLab (gitlab.acme.org)',
      'g/p',
      { GITLAB_TOKEN: 't', GITLAB_HOST: 'https://gitlab.acme.org' },
    ],
  ])('of %s is %s', async (remoteUrl, name, repository, env) => {
    const opened = await openForge({ remoteUrl, settings, env })
    expect(opened).toMatchObject({ type: 'open', forge: { name, repository }, token: 't' })
  })

  it.each([
    ['https://gitlab.evil.example/g/p', { GITLAB_TOKEN: 't' }],
    ['https://github.evil.example/g/p', { GH_TOKEN: 't', GITHUB_TOKEN: 't', GH_ENTERPRISE_TOKEN: 't' }],
  ])('is not given a token that belongs to another host: %s', async (remoteUrl, env) => {
    expect(await openForge({ remoteUrl, settings, env })).toMatchObject({ type: 'closed' })
  })

  it('is a matter of settings where the host does not tell', async () => {
    const question = {
      remoteUrl: 'https://code.acme.org/g/p',
      env: { GITLAB_TOKEN: 't', GITLAB_HOST: 'code.acme.org' },
    }
    expect(await openForge({ ...question, settings })).toEqual({
      type: 'none',
      why: 'which kind of forge code.acme.org is, is not known (forge.kind in the settings)',
    })
    expect(await openForge({ ...question, settings: { ...settings, kind: 'gitlab' } })).toMatchObject({
      type: 'open',
    })
    await expect(openForge({ ...question, settings: { ...settings, kind: 'svn' } })).rejects.toMatchObject({
      code: 'forge.unknown',
    })
  })

  it('gets no token in clear text, unless it is this machine', async () => {
    const forge = { ...settings, kind: 'github', repository: 'a/b', tokenEnv: 'MINE' }
    const ask = (api: string) =>
      openForge({ remoteUrl: undefined, settings: { ...forge, api }, env: { MINE: 't' } })
    await expect(ask('http://forge.example/api/v3')).rejects.toMatchObject({ code: 'forge.api' })
    await expect(ask('nonsense')).rejects.toMatchObject({ code: 'forge.api' })
    expect(await ask('http://127.0.0.1:1/api/v3/')).toMatchObject({ type: 'open' })
  })

  it.each([
    ['gh', 'https://github.com/a/b', 'auth token --hostname github.com'],
    ['glab', 'https://gitlab.com/a/b', 'config get token --host gitlab.com'],
  ])('is opened with the login of %s where the environment has no token', async (name, remoteUrl, words) => {
    const folder = await makeFolder()
    const program = join(folder, name)
    await writeFile(program, `#!/bin/sh\n[ "$*" = "${words}" ] && echo from-login\n`)
    await chmod(program, 0o755)
    const env = { PATH: `${folder}:/usr/bin:/bin` }
    expect(await openForge({ remoteUrl, settings, env })).toMatchObject({ token: 'from-login' })
  })

  it('is closed where nobody has a token', async () => {
    const question = { remoteUrl: 'https://github.com/a/b', settings, env: { PATH: '/nonexistent' } }
    expect(await openForge(question)).toMatchObject({ type: 'closed', why: 'there is no token for GitHub' })
  })
})
