import { describe, expect, it } from 'vitest'
import { openKeySet } from './key-set.ts'

/** As a goal of many steps asks for them. */
function keysOf(steps: number): string[] {
  const parts = ['now', 'late', 'started', 'emitted/start', 'start', 'call/1', 'call/1/noted', 'work', 'tidy']
  const keys = Array.from({ length: steps }, (_, step) =>
    ['code', 'test', 'explore', 'done'].flatMap((id) =>
      parts.map((part) => `execute#${Math.ceil((step + 1) / 10)}/S${step % 10}/${id}#${step}/judge/${part}`),
    ),
  )
  return keys.flat()
}

describe('a set of keys', () => {
  it('knows each one again, and takes none of tens of thousands for another', () => {
    const keys = keysOf(1500)
    const set = openKeySet()
    expect(keys.filter((key) => !set.add(key))).toEqual([])
    expect(keys.filter((key) => set.add(key))).toEqual([])
  })

  it('tells keys apart that differ in one letter, in its place, or in length', () => {
    const set = openKeySet()
    const keys = ['', 'a', 'b', 'ab', 'ba', 'a#1', 'a#11', 'a#1/1', '\u00e9', '\u0000', '\u0000\u0000']
    expect(keys.map((key) => set.add(key))).toEqual(keys.map(() => true))
    expect(keys.map((key) => set.add(key))).toEqual(keys.map(() => false))
  })
})
