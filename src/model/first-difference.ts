import { isJsonObject } from './json.ts'
import type { Json } from './json.ts'

export interface Difference {
  /** Where in the value, as `answer.verdict`; empty for the whole of it. */
  readonly path: string
  /** Undefined where only the other side has something there. */
  readonly recorded: Json | undefined
  readonly replayed: Json | undefined
}

/** The first place at which two values are not the same; undefined where they are. The order of keys means nothing. */
export function firstDifference(
  recorded: Json | undefined,
  replayed: Json | undefined,
  path = '',
): Difference | undefined {
  const [left, right] = [partsOf(recorded), partsOf(replayed)]
  if (!left || !right || Array.isArray(recorded) !== Array.isArray(replayed))
    return recorded === replayed ? undefined : { path, recorded, replayed }
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const inner = path === '' ? name : `${path}.${name}`
    const found = firstDifference(left.get(name), right.get(name), inner)
    if (found) return found
  }
  return undefined
}

function partsOf(value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (Array.isArray(value)) return new Map(value.map((part: Json, index) => [String(index), part]))
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}
