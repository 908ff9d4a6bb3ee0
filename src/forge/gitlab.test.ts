import { describe, expect, it } from 'vitest'
import { exampleOf, startForge } from '../../test/support/forges/forge-server.ts'
import type { ForgeServer, Replies } from '../../test/support/forges/forge-server.ts'
import type { Forge } from './forge.ts'
import { gitlabHeaders, openGitlab } from './gitlab.ts'

const root = '/projects/{id}'
const rules = `GET ${root}/protected_branches`
const branch = `GET ${root}/repository/branches/{branch}`
const requests = `${root}/merge_requests`
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('the look at a branch on GitLab', () => {
  it('takes a branch that nobody may push to for one that needs merge requests (R001-18 to R001-20)', async () => {
    const { forge, server } = await open({ [rules]: { body: [protectedBranch([0])] } })
    expect(await forge.protection('main')).toEqual({ type: 'protected' })
    expect(server.sent[0]?.path).toBe('/projects/group%2Fsub%2Ftill')
  })

  it('names direct pushes where somebody may push', async () => {
    const { forge } = await open({})
    expect(await forge.protection('main')).toEqual({ type: 'unprotected', missing: ['pull_request'] })
  })

  it('counts wildcards, and the most permissive rule', async () => {
    const wild = { ...protectedBranch([0]), name: 'm*', allow_force_push: true }
    const { forge } = await open({ [rules]: { body: [protectedBranch([0]), wild] } })
    expect(await forge.protection('main')).toEqual({ type: 'unprotected', missing: ['force_push'] })
  })

  it('reads all pages of the rules', async () => {
    const { forge, server } = await open({})
    const next = `<${server.url}/projects/group%2Fsub%2Ftill/protected_branches?page=2>; rel="next"`
    server.replies = {
      [rules]: ({ path }) =>
        path.includes('page=2')
          ? { body: [protectedBranch([0])] }
          : { body: [{ ...protectedBranch([0]), name: 'release' }], headers: { link: next } },
    }
    expect(await forge.protection('main')).toEqual({ type: 'protected' })
  })

  it('names both where no rule speaks of the branch', async () => {
    const { forge } = await open({ [rules]: { body: [{ ...protectedBranch([0]), name: 'release.1' }] } })
    expect(await forge.protection('release-1')).toEqual({
      type: 'unprotected',
      missing: ['pull_request', 'force_push'],
    })
  })

  it('does not guess where the token may not read the rules', async () => {
    const { forge } = await open({ [rules]: forbidden })
    expect(await forge.protection('main')).toMatchObject({ type: 'unknown' })
    const open2 = await open({
      [rules]: forbidden,
      [branch]: { body: exampleOf('gitlab', branch, { protected: false }) },
    })
    expect(await open2.forge.protection('main')).toMatchObject({ type: 'unprotected' })
    const open3 = await open({
      [rules]: forbidden,
      [branch]: { status: 404, body: { message: '404 Branch Not Found' } },
    })
    expect(await open3.forge.protection('main')).toEqual({
      type: 'unknown',
      why: "there is no branch 'main' there yet",
    })
  })

  it('says that a project is archived', async () => {
    const { forge } = await open({
      [`GET ${root}`]: { body: exampleOf('gitlab', `GET ${root}`, { archived: true }) },
    })
    expect(await forge.protection('main')).toMatchObject({
      type: 'unknown',
      why: expect.stringContaining('archived') as unknown,
    })
  })

  it('tells a used up rate with the time of its end', async () => {
    const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': '1893456000' }
    const { forge } = await open({ [rules]: { status: 429, headers, body: 'Retry later' } })
    await expect(forge.protection('main')).rejects.toMatchObject({
      problem: 'rate_limited',
      message: 'GitLab answers no more requests until 2030-01-01T00:00:00Z',
    })
  })
})

describe('a refusal of GitLab', () => {
  const get = `GET ${root}/issues/{issue_iid}`

  it.each([
    ['a token that is not taken', 401, '401 Unauthorized', 'unauthorized', /token/],
    ['a right that is missing', 403, '403 Forbidden', 'forbidden', /token/],
    ['an issue that is not there', 404, '404 Issue Not Found', 'missing', /exists/],
    ['an archived project', 403, 'The project is archived', 'archived', /--deliver local/],
    ['something that does not fit', 422, 'title is too long', 'invalid', /Put right/],
    ['a service that is not well', 502, 'Bad Gateway', 'unreachable', /baton resume/],
  ] as const)('is told apart: %s', async (_, status, message, problem, next) => {
    const { forge } = await open({ [get]: { status, body: { message } } })
    const error: unknown = await forge.issue(7).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ problem, next: expect.stringMatching(next) as unknown })
    expect(String(error)).not.toContain('token-of-the-test')
  })
})

describe('merge requests on GitLab', () => {
  const offer = {
    ...{ branch: 'task/1-x', base: 'main', title: 'Title', body: 'Body', isDraft: true },
    ...{ labels: ['baton', 'x'], reviewers: ['jack_smith'] },
  }

  it('are opened once (R001-65), as a draft by their title', async () => {
    const { forge, server } = await open({ [`GET ${requests}`]: { body: [] } })
    expect(await forge.offer(offer)).toMatchObject({ number: 1, isNew: true, notes: [] })
    expect(server.sent.at(-1)).toMatchObject({
      method: 'POST',
      body: {
        ...{ source_branch: 'task/1-x', target_branch: 'main', title: 'Draft: Title', description: 'Body' },
        ...{ labels: 'baton,x', reviewer_ids: [1] },
      },
    })
  })

  it('are brought up to date where one is open', async () => {
    const { forge, server } = await open({})
    expect(await forge.offer({ ...offer, isDraft: false })).toMatchObject({ number: 1, isNew: false })
    expect(server.sent.at(-1)).toMatchObject({
      method: 'PUT',
      body: { title: 'Title', description: 'Body', add_labels: 'baton,x' },
    })
  })

  it('stand also where a reviewer cannot be found', async () => {
    const { forge } = await open({ 'GET /users': { body: [] } })
    expect((await forge.offer(offer)).notes).toEqual(["there is no user 'jack_smith'"])
  })

  it('tell branch, commit and base', async () => {
    const { forge } = await open({})
    expect(await forge.pullRequest(1)).toMatchObject({
      ...{ number: 1, state: 'open', branch: 'test1', base: 'main', isOwnBranch: true },
      ...{ commit: '8888888888888888888888888888888888888888', author: 'root' },
    })
  })

  it('are heard without what is resolved and what the system says', async () => {
    const [thread] = Object.values(
      exampleOf('gitlab', `GET ${requests}/{merge_request_iid}/discussions`),
    ) as {
      notes: { id: number }[]
    }[]
    const note = thread?.notes[0]
    const threads = [
      thread,
      { notes: [{ ...note, id: 2, resolved: true }] },
      { notes: [{ ...note, id: 3, system: true }] },
    ]
    const { forge } = await open({ [`GET ${requests}/{merge_request_iid}/discussions`]: { body: threads } })
    expect(await forge.comments(1)).toEqual([
      {
        ...{ id: 'note-1126', author: 'root', text: 'discussion text', at: '2018-03-03T21:54:39.668Z' },
        ...{ path: 'package.json', line: 27 },
      },
    ])
  })

  it('have issues beside them', async () => {
    const { forge } = await open({})
    expect(await forge.issue(1)).toMatchObject({
      number: 1,
      author: 'root',
      text: expect.stringContaining('Omnis') as unknown,
    })
  })
})

describe('pipelines on GitLab', () => {
  const pipelines = `GET ${root}/pipelines`
  const status = (name: string) => ({ body: [{ id: 47, status: name }] })

  it('bring the log of a failed job', async () => {
    const { forge } = await open({
      [pipelines]: status('failed'),
      [`GET ${root}/jobs/{job_id}/trace`]: { body: 'expected 1, got 2' },
    })
    expect(await forge.checks('abc')).toEqual({
      state: 'failed',
      failures: [{ name: 'teaspoon', url: 'https://example.com/foo/bar/-/jobs/7', log: 'expected 1, got 2' }],
    })
  })

  it.each([
    ['pending', 'pending'],
    ['success', 'passed'],
  ])('that are %s count as %s', async (word, state) => {
    const { forge } = await open({ [pipelines]: status(word) })
    expect((await forge.checks('abc')).state).toBe(state)
  })

  it('are none where nothing runs', async () => {
    const { forge } = await open({ [pipelines]: { body: [] } })
    expect((await forge.checks('abc')).state).toBe('none')
  })
})

function protectedBranch(levels: readonly number[]): object {
  const [example] = Object.values(exampleOf('gitlab', rules)) as object[]
  return { ...example, push_access_levels: levels.map((access_level) => ({ access_level })) }
}

async function open(replies: Replies): Promise<{ forge: Forge; server: ForgeServer }> {
  const server = await startForge('gitlab', replies)
  servers.push(server)
  const headers = gitlabHeaders('token-of-the-test')
  return {
    server,
    forge: openGitlab({ name: 'GitLab', url: server.url, headers, env: {}, retryMs: [] }, 'group/sub/till'),
  }
}

const servers: ForgeServer[] = []

it('every request above is one that GitLab describes, and carries the token', () => {
  expect(servers.flatMap(({ violations }) => violations)).toEqual([])
  const tokens = servers.flatMap(({ sent }) => sent.map((one) => one.headers['private-token']))
  expect(new Set(tokens)).toEqual(new Set(['token-of-the-test']))
})
