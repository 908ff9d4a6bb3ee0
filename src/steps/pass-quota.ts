import type { Attempt, Instant } from '../model/durable.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { choosePlayer } from '../model/quota.ts'
import { instantOf } from '../platform/clock.ts'
import type { Conversation } from './conversation.ts'

/** Who plays on after a provider's quota was found to be used up. */
export type Passed = { readonly player: string; readonly waited_ms: number }

/**
 * Somebody else plays, or the run waits, or it ends here and can be resumed. Recorded only once the way is free: a
 * resumed run comes to this point again, looks at the clock, and starts nobody too early.
 */
export async function passQuota(
  { site, request }: Conversation,
  detail: string,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<Passed> {
  const { role } = request.step
  const begun = instantOf(site.clock)
  for (;;) {
    const now = instantOf(site.clock)
    const player = choosePlayer(role, site.quotas, now)
    if (player.type === 'player') return { player: player.provider, waited_ms: now - begun }
    const isWorthIt = request.runDeadline === undefined || player.until < request.runDeadline
    if (!site.wait || !isWorthIt) throw usedUp(site.folder.id, { detail, until: player.until })
    await site.clock.sleep(player.until - now, signal)
  }
}

function usedUp(run: string, { detail, until }: { detail: string; until: Instant }): FailureError {
  const time = new Date(until).toISOString().replace(/\.\d+Z$/, 'Z')
  return new FailureError({
    code: 'quota.exhausted',
    message: `${detail}. Nobody is started before ${time}.`,
    next: `Then: baton resume ${run}   (or now: baton resume ${run} --wait)`,
    exitCode: exitCodes.quota,
  })
}
