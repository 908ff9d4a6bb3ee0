import type { Instant } from './durable.ts'

/** Providers that take no calls, with the time until which none is tried. */
export type Quotas = Map<string, Instant>

/** Where a tool does not say when its quota is there again. */
export const unknownResetMs = 15 * 60_000

export type Player =
  | { readonly type: 'player'; readonly provider: string; readonly isFallback: boolean }
  /** Nobody may be started before that time. */
  | { readonly type: 'nobody'; readonly until: Instant }

/** Who plays a role now: its provider, else its fallback, else nobody until the first of them is back. Pure. */
export function choosePlayer(
  { provider, fallback }: { readonly provider: string; readonly fallback?: string },
  quotas: ReadonlyMap<string, Instant>,
  now: Instant,
): Player {
  const isBack = (name: string): boolean => (quotas.get(name) ?? 0) <= now
  if (isBack(provider)) return { type: 'player', provider, isFallback: false }
  if (fallback !== undefined && isBack(fallback))
    return { type: 'player', provider: fallback, isFallback: true }
  const times = [provider, ...(fallback === undefined ? [] : [fallback])].map(
    (name) => quotas.get(name) ?? now,
  )
  return { type: 'nobody', until: Math.min(...times) }
}
