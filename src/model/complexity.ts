/** How much a change asks of who makes it: what model selection goes by. */
export const complexityLevels = ['low', 'medium', 'high', 'critical'] as const

export type Complexity = (typeof complexityLevels)[number]

/** By the number of specifications and open tasks together (C-28): up to 4 low, 10 medium, 20 high. */
export function complexityOf(parts: number): Complexity {
  if (parts <= 4) return 'low'
  if (parts <= 10) return 'medium'
  return parts <= 20 ? 'high' : 'critical'
}
