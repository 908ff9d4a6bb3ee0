import * as z from 'zod'
import type { Api } from './api.ts'
import { ForgeError } from './forge.ts'
import type { Checks } from './forge.ts'

const runsSchema = z.object({
  check_runs: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      html_url: z.string().nullish(),
      app: z.object({ slug: z.string().nullish() }).nullish(),
      output: z
        .object({ title: z.string().nullish(), summary: z.string().nullish(), text: z.string().nullish() })
        .nullish(),
    }),
  ),
})
const statusSchema = z.object({
  statuses: z.array(
    z.object({
      context: z.string(),
      state: z.string(),
      description: z.string().nullish(),
      target_url: z.string().nullish(),
    }),
  ),
})

type CheckRun = z.infer<typeof runsSchema>['check_runs'][number]

const failing = ['failure', 'timed_out', 'startup_failure', 'action_required']

/** What ran for a commit: check runs with the logs of their jobs, and the older statuses. */
export async function githubChecks(api: Api, repository: string, commit: string): Promise<Checks> {
  const root = `/repos/${repository}`
  const runs = await api.list({
    path: `${root}/commits/${commit}/check-runs?per_page=100`,
    as: runsSchema.transform(({ check_runs: page }) => page),
  })
  const { statuses } = await api.ask({
    path: `${root}/commits/${commit}/status?per_page=100`,
    as: statusSchema,
  })
  const failedRuns = runs.filter(({ conclusion }) => failing.includes(conclusion ?? ''))
  const failedStatuses = statuses.filter(({ state }) => state === 'failure' || state === 'error')
  const failures = [
    ...(await Promise.all(
      failedRuns.map(async (run) => ({
        name: run.name,
        url: run.html_url ?? '',
        log: await logOf(api, root, run),
      })),
    )),
    ...failedStatuses.map(({ context, description, target_url: url }) => ({
      name: context,
      url: url ?? '',
      log: description ?? '',
    })),
  ]
  const isPending =
    runs.some(({ status }) => status !== 'completed') || statuses.some(({ state }) => state === 'pending')
  return {
    state: stateOf(runs.length + statuses.length, { isPending, isFailed: failures.length > 0 }),
    failures,
  }
}

/** All of them are waited for: half of the failures would make half a repair. */
function stateOf(
  count: number,
  { isPending, isFailed }: { isPending: boolean; isFailed: boolean },
): Checks['state'] {
  if (count === 0) return 'none'
  if (isPending) return 'pending'
  return isFailed ? 'failed' : 'passed'
}

/** A run of Actions has the number of its job; others say what they say in their output. */
async function logOf(api: Api, root: string, run: CheckRun): Promise<string> {
  const said = [run.output?.title, run.output?.summary, run.output?.text].filter(Boolean).join('\n')
  if (run.app?.slug !== 'github-actions') return said
  try {
    return await api.text(`${root}/actions/jobs/${run.id}/logs`)
  } catch (error) {
    if (error instanceof ForgeError && ['missing', 'forbidden'].includes(error.problem)) return said
    throw error
  }
}
