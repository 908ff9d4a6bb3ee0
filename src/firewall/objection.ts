/** Why something may not be done. The rule is a short name, the words are for the model and the person. */
export interface Objection {
  readonly rule: string
  readonly why: string
}

export function notUnderstood(what: string): Objection {
  return {
    rule: 'shell:not-understood',
    why: `${what} cannot be checked, and what cannot be checked is not run`,
  }
}

/** The first objection, looking no further than needed. */
export function firstOf<T>(
  items: Iterable<T>,
  judge: (item: T) => Objection | undefined,
): Objection | undefined {
  for (const item of items) {
    const objection = judge(item)
    if (objection) return objection
  }
  return undefined
}
