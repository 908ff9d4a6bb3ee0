import { formatDuration } from '../model/duration.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { dollars } from '../model/spending.ts'
import type { SpendingLimits } from '../model/spending.ts'

export interface LiveSpending {
  readonly tokens: number
  readonly cost: number
}

/** What the run may use, where somebody has set it. */
export interface LiveLimits extends SpendingLimits {
  readonly timeMs?: number
}

export const nothingSpent: LiveSpending = { tokens: 0, cost: 0 }

/** What a tool does not say is not counted here; `baton cost` says that it is missing. */
export function spentAfter({ tokens, cost }: LiveSpending, usage: Json | undefined): LiveSpending {
  if (!isJsonObject(usage)) return { tokens, cost }
  const known = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0)
  return { tokens: tokens + known('input') + known('output'), cost: cost + known('cost') }
}

/** What is left of what may be used; where nobody set a limit, what is used; nothing where neither is known. */
export function spentText(used: LiveSpending & { readonly timeMs: number }, limits: LiveLimits): string[] {
  return [
    ...(limits.timeMs === undefined ? [] : left(used.timeMs, limits.timeMs, wholeSeconds)),
    ...left(used.tokens, limits.tokens, (count) => `${count.toLocaleString('en-US')} tokens`),
    ...left(used.cost, limits.cost, dollars),
  ]
}

function left(used: number, limit: number | undefined, words: (amount: number) => string): string[] {
  if (limit !== undefined) return [`${words(Math.max(0, limit - used))} left`]
  return used === 0 ? [] : [words(used)]
}

export function wholeSeconds(milliseconds: number): string {
  return milliseconds < 1000 ? '0s' : formatDuration(milliseconds)
}
