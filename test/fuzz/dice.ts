/** The same seed, the same programs, on every machine. */
export interface Dice {
  below(count: number): number
  chance(share: number): boolean
  one<T>(list: readonly [T, ...T[]]): T
  /** A number that this seed has not given before: for names that must not meet. */
  fresh(): number
}

export function diceOf(seed: number): Dice {
  let state = Math.trunc(seed)
  let count = 0
  // Mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (share) => next() < share,
    one: (list) => list[below(list.length)] ?? list[0],
    fresh: () => ++count,
  }
}
