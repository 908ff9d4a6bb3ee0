import { join } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import { ForgeError } from '../forge/forge.ts'
import type { Offer, Offered } from '../forge/forge.ts'
import { offerLocally } from '../forge/local.ts'
import { requestBody, requestTitle } from '../forge/request-body.ts'
import { isAncestor } from '../git/facts.ts'
import { pushBranch, remoteUrl } from '../git/remote.ts'
import { readJournal } from '../journal/read-journal.ts'
import type { ActionVisit } from './action-visit.ts'
import type { Performed } from './agent-step.ts'
import { remoteBranch } from './remote-branch.ts'
import { collectEvidence } from './collect-evidence.ts'
import type { Outside, Site } from './workplace.ts'

type Sent = { readonly type: 'pushed' | 'kept' } | { readonly type: 'moved'; readonly at: string }
type Request = {
  readonly number: number
  readonly url: string
  readonly is_new: boolean
  readonly notes: readonly string[]
}

/**
 * Once the gates are met: the task branch is pushed, and nothing else; then it is offered as a pull request. What
 * cannot be done now stops the run where it stands, so that resume does exactly what is left.
 */
export async function publishBranch(
  context: DurableContext,
  visit: ActionVisit,
  performed: Performed,
): Promise<Performed> {
  const { site, request } = visit
  const { outside } = site
  if (request.values['deliver'] !== 'pr' || outside === undefined) return performed
  const { key, step } = request
  const { tip } = performed.last
  const branch = site.requested.pr?.branch ?? site.task.branch
  // Written down before it is done: what lies at the remote after a crash is known to be ours.
  await context.step(`${key}/pushing`, () => Promise.resolve({ tip, branch }))
  const sent = await context.step<Sent>(`${key}/push`, () => push(site, outside, { tip, branch }))
  if (sent.type === 'moved') {
    const reason = `the remote's '${branch}' is at ${sent.at.slice(0, 12)}, which is not from this run: merge it into the branch, or delete it there`
    return { ...performed, result: { ...performed.result, outcome: 'failed', label: 'branch_moved', reason } }
  }
  if (sent.type === 'pushed')
    await context.record(
      `${key}/pushed`,
      engineEvent('branch.pushed', { step: step.id, branch, commit: tip }),
    )
  const offered = await context.step<Request>(`${key}/offer`, async ({ signal }) => {
    const { number, url, isNew, notes } = await offer(visit, outside, { tip, branch, signal })
    return { number, url, is_new: isNew, notes }
  })
  await context.record(
    `${key}/offered`,
    engineEvent('pull_request.offered', { step: step.id, branch, ...offered }),
  )
  const facts = { ...performed.result.facts, pull_request: offered.url, pull_request_number: offered.number }
  return { ...performed, result: { ...performed.result, facts, label: 'offered' } }
}

async function push(
  site: Site,
  { git }: Outside,
  { tip, branch }: { readonly tip: string; readonly branch: string },
): Promise<Sent> {
  if ((await remoteUrl(git)) === undefined) return { type: 'kept' }
  const known = await pushedBefore(site)
  const started = site.requested.pr?.commit
  const own = [...known, ...(started === undefined ? [] : [started])]
  const pushed = await pushBranch(git, {
    ...{ tip, branch },
    // A person may have added to the branch over there and have merged that here.
    isOurs: async (at) => own.includes(at) || !(await isAncestor(site.repo, at, site.start)),
  })
  if (pushed.type !== 'failed') return pushed
  throw new FailureError({
    code: 'deliver.push_failed',
    message: `The branch '${branch}' could not be pushed: ${pushed.why}`,
    next: `Put that right, then: baton resume ${site.folder.id}`,
    exitCode: exitCodes.waiting,
  })
}

async function pushedBefore(site: Site): Promise<string[]> {
  const tips: string[] = []
  for await (const { type, data } of readJournal(site.folder.journal)) {
    if (type !== 'checkpoint' || !textOf(data['key']).endsWith('/pushing')) continue
    const value = data['value'] as { readonly tip?: string } | undefined
    if (value?.tip !== undefined) tips.push(value.tip)
  }
  return tips
}

interface Offering {
  readonly tip: string
  readonly branch: string
  readonly signal: AbortSignal
}

async function offer(
  { site, request }: ActionVisit,
  outside: Outside,
  { tip, branch, signal }: Offering,
): Promise<Offered> {
  const evidence = await collectEvidence(site, request, tip)
  const wanted: Offer = {
    ...{ branch, base: site.requested.pr?.base ?? remoteBranch(site.base, outside.git.remote) },
    ...{ title: requestTitle(evidence.task), body: requestBody(evidence) },
    ...wishesOf(site),
  }
  const { pr } = site.requested
  if (pr !== undefined && !pr.is_ours) return { number: pr.number, url: pr.url, isNew: false, notes: [] }
  const opened = await outside.forge(signal)
  if (opened.type === 'none') {
    const file = join(site.folder.dir, 'pull-request.md')
    return offerLocally({ ...wanted, base: site.base.name, file, root: site.repo.root })
  }
  if (opened.type === 'closed') throw failed(site, opened.why, opened.next)
  try {
    return await opened.forge.offer(wanted)
  } catch (error) {
    if (error instanceof ForgeError) throw failed(site, error.message, error.next)
    throw error
  }
}

function wishesOf({ settings: { forge } }: Site): Pick<Offer, 'isDraft' | 'labels' | 'reviewers'> {
  return { isDraft: forge?.draft ?? false, labels: forge?.labels ?? [], reviewers: forge?.reviewers ?? [] }
}

function failed(site: Site, why: string, next: string): FailureError {
  return new FailureError({
    code: 'deliver.pr_failed',
    message: `The branch is pushed, but there is no pull request: ${why}`,
    next: next.replace(/baton resume$/, `baton resume ${site.folder.id}`),
    exitCode: exitCodes.waiting,
  })
}
