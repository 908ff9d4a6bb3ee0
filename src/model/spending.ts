import type { Tally } from './usage.ts'

/** What a run may use: US dollars, and tokens in and out. */
export interface SpendingLimits {
  readonly cost?: number
  readonly tokens?: number
}

/** The run may not use more: always the end of the run, before the next agent is started. */
export class SpendingLimitError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'SpendingLimitError'
  }
}

/**
 * Why no further agent may be started, if so. A limit that nobody can measure is not kept by hoping: where an
 * answer came without figures, the run stops and says so.
 */
export function overspent(tally: Tally, { cost, tokens }: SpendingLimits): string | undefined {
  return (cost === undefined ? undefined : overCost(tally, cost)) ?? overTokens(tally, tokens)
}

function overCost({ cost }: Tally, limit: number): string | undefined {
  if (cost.known >= limit) return `the limit of ${dollars(limit)} is reached: ${dollars(cost.known)} are used`
  if (cost.unknown === 0) return undefined
  return `the limit of ${dollars(limit)} cannot be kept: of ${calls(cost.unknown)} the cost is not known`
}

function overTokens({ input, output }: Tally, limit: number | undefined): string | undefined {
  if (limit === undefined) return undefined
  const used = input.known + output.known
  if (used >= limit) return `the limit of ${limit} tokens is reached: ${used} are used`
  const unknown = Math.max(input.unknown, output.unknown)
  if (unknown === 0) return undefined
  return `the limit of ${limit} tokens cannot be kept: of ${calls(unknown)} the tokens are not known`
}

function calls(count: number): string {
  return count === 1 ? 'one call' : `${count} calls`
}

/** Cents, and more places where there is less than a cent to show. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`
}
