import { anything, assert, jsonValue, property } from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isJsonObject, survivesJson, textOf } from './json.ts'

describe('JSON', () => {
  it('every JSON value survives', () => {
    assert(property(jsonValue(), (value) => survivesJson(value)))
  })

  it('what is said to survive comes back the same', () => {
    const wild = anything({
      ...{ withDate: true, withMap: true, withSparseArray: true, withBigInt: true, withNullPrototype: true },
      ...{ withObjectString: true, withTypedArray: true, withSet: true, withBoxedValues: true },
    })
    assert(
      property(wild, (value) => {
        if (!survivesJson(value)) return
        const again: unknown = JSON.parse(JSON.stringify(value))
        expect(isDeepStrictEqual(plain(again), plain(value))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('an object is no list and not null', () => {
    expect([{}, [], null, 'a', undefined].map(isJsonObject)).toEqual([true, false, false, false, false])
  })

  it('in a sentence text is itself, anything else JSON, nothing is empty', () => {
    expect(['a "b"', 1, true, null, ['a'], { a: 1 }, undefined].map(textOf)).toEqual([
      ...['a "b"', '1', 'true', 'null', '["a"]', '{"a":1}', ''],
    ])
  })
})

/** Without what does not matter: a null prototype, and the sign of zero. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value === 0) return 0
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
}
