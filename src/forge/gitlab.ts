import * as z from 'zod'
import { openApi } from './api.ts'
import type { Access, Api } from './api.ts'
import type { Comment, Forge, Issue, Offer, Offered, PullRequest } from './forge.ts'
import { gitlabChecks } from './gitlab-checks.ts'
import { gitlabProtection } from './gitlab-protection.ts'

const author = z.object({ username: z.string() }).nullish()
const issueSchema = z.object({
  iid: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  web_url: z.string(),
  author,
})
const mergeRequestSchema = issueSchema.extend({
  state: z.string(),
  sha: z.string().nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number(),
  target_project_id: z.number(),
})
const offeredSchema = z.object({ iid: z.number(), web_url: z.string() })
const discussions = z.array(
  z.object({
    notes: z.array(
      z.object({
        id: z.number(),
        body: z.string(),
        author,
        system: z.boolean(),
        created_at: z.string(),
        resolvable: z.boolean().optional(),
        resolved: z.boolean().optional(),
        position: z
          .object({
            new_path: z.string().nullish(),
            new_line: z.number().nullish(),
            old_line: z.number().nullish(),
          })
          .nullish(),
      }),
    ),
  }),
)

type Note = z.infer<typeof discussions>[number]['notes'][number]

export function openGitlab(access: Access, repository: string): Forge {
  const api = openApi(access)
  const root = `/projects/${encodeURIComponent(repository)}`
  return {
    name: access.name,
    repository,
    protection: (branch) => gitlabProtection(api, root, branch),
    checks: (commit) => gitlabChecks(api, root, commit),
    async issue(number) {
      return issueOf(await api.ask({ path: `${root}/issues/${number}`, as: issueSchema }))
    },
    async pullRequest(number) {
      return requestOf(await api.ask({ path: `${root}/merge_requests/${number}`, as: mergeRequestSchema }))
    },
    comments: (number) => commentsOn(api, `${root}/merge_requests/${number}/discussions?per_page=100`),
    offer: (offer) => offerRequest(api, root, offer),
  }
}

export function gitlabHeaders(token: string): Record<string, string> {
  return { accept: 'application/json', 'user-agent': 'baton', 'private-token': token }
}

function issueOf({ iid, title, description, web_url: url, author: by }: z.infer<typeof issueSchema>): Issue {
  return { number: iid, title, text: description ?? '', url, author: by?.username ?? '' }
}

function requestOf(request: z.infer<typeof mergeRequestSchema>): PullRequest {
  return {
    ...issueOf(request),
    state: request.state === 'merged' ? 'merged' : request.state === 'opened' ? 'open' : 'closed',
    branch: request.source_branch,
    commit: request.sha ?? '',
    isOwnBranch: request.source_project_id === request.target_project_id,
    base: request.target_branch,
  }
}

async function commentsOn(api: Api, path: string): Promise<Comment[]> {
  const threads = await api.list({ path, as: discussions })
  return threads
    .flatMap(({ notes }) => (notes.some(({ resolved }) => resolved === true) ? [] : notes.flatMap(commentOf)))
    .toSorted((a, b) => a.at.localeCompare(b.at))
}

function commentOf({ id, body, author: by, system, created_at: at, position }: Note): Comment[] {
  return system
    ? []
    : [{ id: `note-${id}`, author: by?.username ?? '', text: body, at, ...placeOf(position) }]
}

function placeOf(position: Note['position']): Pick<Comment, 'path' | 'line'> {
  const path = position?.new_path ?? undefined
  const line = position?.new_line ?? position?.old_line ?? undefined
  return { ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) }
}

async function offerRequest(api: Api, root: string, offer: Offer): Promise<Offered> {
  const { branch, base, isDraft, labels } = offer
  const query = new URLSearchParams({ state: 'opened', source_branch: branch, target_branch: base })
  const [open] = await api.list({
    path: `${root}/merge_requests?${query.toString()}`,
    as: z.array(offeredSchema),
  })
  const { ids, notes } = await reviewersOf(api, offer)
  const title = isDraft ? `Draft: ${offer.title}` : offer.title
  const common = {
    ...{ title, description: offer.body },
    ...(labels.length === 0 ? {} : { [open ? 'add_labels' : 'labels']: labels.join(',') }),
    ...(ids.length === 0 ? {} : { reviewer_ids: ids }),
  }
  const request = open
    ? await api.ask({
        path: `${root}/merge_requests/${open.iid}`,
        method: 'PUT',
        body: common,
        as: offeredSchema,
      })
    : await api.ask({
        path: `${root}/merge_requests`,
        method: 'POST',
        body: { source_branch: branch, target_branch: base, ...common },
        as: offeredSchema,
      })
  return { number: request.iid, url: request.web_url, isNew: open === undefined, notes }
}

/** Reviewers are asked for by number there. */
async function reviewersOf(api: Api, { reviewers }: Offer): Promise<{ ids: number[]; notes: string[] }> {
  const ids: number[] = []
  const notes: string[] = []
  for (const name of reviewers) {
    const path = `/users?${new URLSearchParams({ username: name }).toString()}`
    const [found] = await api.ask({ path, as: z.array(z.object({ id: z.number() })) })
    if (found) ids.push(found.id)
    else notes.push(`there is no user '${name}'`)
  }
  return { ids, notes }
}
