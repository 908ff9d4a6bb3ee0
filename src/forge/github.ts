import * as z from 'zod'
import { openApi } from './api.ts'
import type { Access, Api } from './api.ts'
import { ForgeError } from './forge.ts'
import type { Comment, Forge, Issue, Offer, Offered, PullRequest } from './forge.ts'
import { githubChecks } from './github-checks.ts'
import { githubProtection } from './github-protection.ts'

const user = z.object({ login: z.string() }).nullish()
const issueSchema = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  user,
  pull_request: z.unknown().optional(),
})
const pullSchema = issueSchema.omit({ pull_request: true }).extend({
  state: z.string(),
  merged: z.boolean().optional(),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  base: z.object({ ref: z.string() }),
})
const offeredSchema = z.object({ number: z.number(), html_url: z.string() })
const remark = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user,
  author_association: z.string().optional(),
  created_at: z.string().optional(),
  submitted_at: z.string().nullish(),
  path: z.string().optional(),
  line: z.number().nullish(),
  original_line: z.number().nullish(),
  state: z.string().optional(),
})

type Remark = z.infer<typeof remark>

/** github.com and Enterprise: the same API under another address. */
export function openGithub(access: Access, repository: string): Forge {
  const api = openApi(access)
  const root = `/repos/${repository}`
  return {
    name: access.name,
    repository,
    protection: (branch) => githubProtection(api, repository, branch),
    checks: (commit) => githubChecks(api, repository, commit),
    async issue(number) {
      const found = await api.ask({ path: `${root}/issues/${number}`, as: issueSchema })
      if (found.pull_request === undefined || found.pull_request === null) return issueOf(found)
      throw new ForgeError(
        'invalid',
        `#${number} of ${repository} is a pull request`,
        `baton run --pr ${number}`,
      )
    },
    async pullRequest(number) {
      return pullOf(await api.ask({ path: `${root}/pulls/${number}`, as: pullSchema }), repository)
    },
    comments: (number) => commentsOn(api, root, number),
    offer: (offer) => offerPull(api, { root, owner: repository.split('/', 1)[0] ?? '' }, offer),
  }
}

/** What every request carries. The version is that of the description that the tests hold requests against. */
export function githubHeaders(token: string): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'baton',
    authorization: `Bearer ${token}`,
  }
}

function issueOf({ number, title, body, html_url: url, user: author }: z.infer<typeof issueSchema>): Issue {
  return { number, title, text: body ?? '', url, author: author?.login ?? '' }
}

function pullOf(pull: z.infer<typeof pullSchema>, repository: string): PullRequest {
  const { head, base, merged, state } = pull
  return {
    ...issueOf(pull),
    state: merged === true ? 'merged' : state === 'open' ? 'open' : 'closed',
    branch: head.ref,
    commit: head.sha,
    isOwnBranch: head.repo?.full_name.toLowerCase() === repository.toLowerCase(),
    base: base.ref,
  }
}

/** Anybody may comment on a public repository; only those who belong to it are heard. */
const heard = ['OWNER', 'MEMBER', 'COLLABORATOR']

async function commentsOn(api: Api, root: string, number: number): Promise<Comment[]> {
  const [reviews, lines, talk] = await Promise.all(
    [`/pulls/${number}/reviews`, `/pulls/${number}/comments`, `/issues/${number}/comments`].map((path) =>
      api.list({ path: `${root}${path}?per_page=100`, as: z.array(remark) }),
    ),
  )
  return [
    ...(reviews ?? []).map((one) => commentOf('review', one)),
    ...(lines ?? []).map((one) => commentOf('line', one)),
    ...(talk ?? []).map((one) => commentOf('talk', one)),
  ]
    .flat()
    .toSorted((a, b) => a.at.localeCompare(b.at))
}

function commentOf(kind: string, remarked: Remark): Comment[] {
  const { id, body, user: author } = remarked
  if (!body || !isHeard(remarked)) return []
  return [
    {
      id: `${kind}-${id}`,
      author: author?.login ?? '',
      text: body,
      at: momentOf(remarked),
      ...placeOf(remarked),
    },
  ]
}

function isHeard({ state, author_association: association }: Remark): boolean {
  return state !== 'DISMISSED' && state !== 'PENDING' && heard.includes(association ?? '')
}

function momentOf({ submitted_at: submitted, created_at: created }: Remark): string {
  return submitted ?? created ?? ''
}

function placeOf({ path, line, original_line: original }: Remark): Pick<Comment, 'path' | 'line'> {
  const at = line ?? original ?? undefined
  return { ...(path === undefined ? {} : { path }), ...(at === undefined ? {} : { line: at }) }
}

interface Place {
  readonly root: string
  readonly owner: string
}

async function offerPull(api: Api, place: Place, offer: Offer): Promise<Offered> {
  const { title, body } = offer
  const open = await openPull(api, place, offer)
  if (open) {
    const path = `${place.root}/pulls/${open.number}`
    const pull = await api.ask({ path, method: 'PATCH', body: { title, body }, as: offeredSchema })
    return {
      number: pull.number,
      url: pull.html_url,
      isNew: false,
      notes: await adorn(api, place.root, { ...offer, number: pull.number }),
    }
  }
  const { branch: head, base, isDraft: draft } = offer
  const pull = await api.ask({
    path: `${place.root}/pulls`,
    method: 'POST',
    body: { title, head, base, body, draft },
    as: offeredSchema,
  })
  return {
    number: pull.number,
    url: pull.html_url,
    isNew: true,
    notes: await adorn(api, place.root, { ...offer, number: pull.number }),
  }
}

async function openPull(
  api: Api,
  { root, owner }: Place,
  { branch, base }: Offer,
): Promise<{ number: number } | undefined> {
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}`, base })
  const [open] = await api.list({ path: `${root}/pulls?${query.toString()}`, as: z.array(offeredSchema) })
  return open
}

/** A label or a reviewer that cannot be had is no reason to be without the pull request. */
async function adorn(
  api: Api,
  root: string,
  { labels, reviewers, number }: Offer & { readonly number: number },
): Promise<string[]> {
  const teams = reviewers.filter((name) => name.includes('/')).map((name) => name.split('/').at(-1) ?? name)
  const people = reviewers.filter((name) => !name.includes('/'))
  const wishes = [
    ...(labels.length === 0 ? [] : [{ path: `/issues/${number}/labels`, body: { labels } }]),
    ...(reviewers.length === 0
      ? []
      : [
          {
            path: `/pulls/${number}/requested_reviewers`,
            body: { reviewers: people, team_reviewers: teams },
          },
        ]),
  ]
  const notes: string[] = []
  for (const { path, body } of wishes) {
    try {
      await api.ask({ path: `${root}${path}`, method: 'POST', body, as: z.unknown() })
    } catch (error) {
      if (!(error instanceof ForgeError) || error.problem === 'unreachable') throw error
      notes.push(error.message)
    }
  }
  return notes
}
