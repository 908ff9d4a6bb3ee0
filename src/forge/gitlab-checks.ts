import * as z from 'zod'
import type { Api } from './api.ts'
import type { Checks } from './forge.ts'

const pipelines = z.array(z.object({ id: z.number(), status: z.string() }))
const jobs = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    web_url: z.string().nullish(),
    allow_failure: z.boolean().optional(),
  }),
)

const running = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled']

/** The newest pipeline of a commit speaks for it. */
export async function gitlabChecks(api: Api, root: string, commit: string): Promise<Checks> {
  const query = new URLSearchParams({ sha: commit, order_by: 'id', sort: 'desc' })
  const [newest] = await api.ask({ path: `${root}/pipelines?${query.toString()}`, as: pipelines })
  if (newest === undefined) return { state: 'none', failures: [] }
  if (running.includes(newest.status)) return { state: 'pending', failures: [] }
  if (newest.status !== 'failed') return { state: 'passed', failures: [] }
  const failed = await api.list({
    path: `${root}/pipelines/${newest.id}/jobs?scope[]=failed&per_page=100`,
    as: jobs,
  })
  const failures = await Promise.all(
    failed
      .filter(({ allow_failure: mayFail }) => mayFail !== true)
      .map(async ({ id, name, web_url: url }) => ({
        name,
        url: url ?? '',
        log: await api.text(`${root}/jobs/${id}/trace`),
      })),
  )
  return { state: 'failed', failures }
}
