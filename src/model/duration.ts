const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `30m`, `2h`, `1d`, and joined forms such as `1h30m`. Undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim()
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(compact)) return undefined
  let total = 0
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (units[unit ?? ''] ?? 0)
  }
  return Math.round(total)
}

export const timeLimitHint = 'a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h'

/** Work that may take no time cannot be done, and what no clock shows any more is a mistake. */
export function isUselessLimit(text: string): boolean {
  const ms = parseDuration(text)
  return ms !== undefined && (ms === 0 || ms >= 36_525 * 86_400_000)
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return joined(`${minutes}m`, seconds % 60, 's')
  return joined(`${Math.floor(minutes / 60)}h`, minutes % 60, 'm')
}

function joined(large: string, small: number, unit: string): string {
  return small === 0 ? large : `${large}${small}${unit}`
}
