/** What the engine makes of a step. Verdict words are a role's own; these five are the engine's. */
export const outcomes = ['ok', 'revise', 'escalate', 'blocked', 'failed'] as const

export type Outcome = (typeof outcomes)[number]

export function isOutcome(word: string): word is Outcome {
  return (outcomes as readonly string[]).includes(word)
}
