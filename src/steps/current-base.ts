import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { isAncestor } from '../git/facts.ts'
import { fetchBranch, remoteUrl } from '../git/remote.ts'
import { resolveCommit } from '../git/repository.ts'
import { remoteBranch } from './remote-branch.ts'
import type { Site } from './workplace.ts'

/** Where the base stands now: people work on it while the agents do. */
export async function currentBase(site: Site): Promise<string> {
  const { ref, commit } = site.base
  const here = (ref === undefined ? undefined : await resolveCommit(site.repo, ref)) ?? commit
  if (site.requested.follows_remote !== true) return here
  const there = await resolveCommit(site.repo, upstreamRef(site))
  return there === undefined || (await isAncestor(site.repo, there, here)) ? here : there
}

function upstreamRef({ folder }: Site): string {
  return `refs/baton/${folder.id}/upstream`
}

/** The remote's newest state of the base, in a ref of the run's own; it is told where it cannot be had. */
export async function fetchBase(context: DurableContext, site: Site, key: string): Promise<void> {
  const { outside } = site
  if (site.requested.follows_remote !== true || outside === undefined) return
  const why = await context.step<string>(`${key}/fetch`, async () => {
    if ((await remoteUrl(outside.git)) === undefined) return ''
    const branch = remoteBranch(site.base, outside.git.remote)
    const fetched = await fetchBranch(outside.git, { branch, into: upstreamRef(site) })
    return fetched.type === 'done' ? '' : fetched.why
  })
  if (why !== '')
    await context.record(`${key}/unfetched`, engineEvent('run.warned', { about: 'base_not_fetched', why }))
}
