/** The candidate that a mistyped word most likely stands for; undefined when none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = { candidate, distance }
  }
  return best?.candidate
}

const maxListed = 20

/** What to write instead of a word that does not exist. */
export function writeInstead(word: string, candidates: readonly string[], show = quoted): string {
  const close = nearest(word, candidates)
  if (close !== undefined) return `write ${show(close)}`
  const [only, ...others] = candidates
  if (only === undefined) return 'remove it'
  if (others.length === 0) return `write ${show(only)}`
  const listed = candidates.slice(0, maxListed)
  return `write one of ${listed.join(', ')}${listed.length < candidates.length ? ', ...' : ''}`
}

export function quoted(word: string): string {
  return `'${word}'`
}

/** Insertions, deletions, replacements, and two neighbours that changed places (`agnet`), one each. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= left.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= right.length; j++) {
      const replaced = at(i - 1, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1)
      const swapped = isSwap(left.slice(i - 2, i), right.slice(j - 2, j)) ? at(i - 2, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1))
    }
  }
  return at(left.length, right.length)
}

function isSwap(left: string, right: string): boolean {
  return left.length === 2 && left[0] === right[1] && left[1] === right[0]
}
