import { assert, constantFrom, array, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesAny } from './glob.ts'

describe('a write scope', () => {
  it.each<[string, string, boolean]>([
    ['docs/plans/', 'docs/plans/a.md', true],
    ['docs/plans/', 'docs/plans/deep/a.md', true],
    ['docs/plans/', 'docs/plans', false],
    ['docs/plans/', 'docs/plansx/a.md', false],
    ['docs/plans/', 'other/docs/plans/a.md', false],
    ['**', 'anything/at/all', true],
    ['**', '.hidden', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/deep/er/a.ts', true],
    ['**/*.test.ts', 'a.test.ts', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['README.md', 'README.md', true],
    ['README.md', 'READMExmd', false],
    ['README.md', 'docs/README.md', false],
    ['a+b(c)[d]{e}^$|', 'a+b(c)[d]{e}^$|', true],
    ['docs/dev-docs/', 'docs/dev-docs/a-b.md', true],
    ['a.b', 'axb', false],
    ['*', 'a\nb', true],
    ['ä/?', 'ä/🎉', true],
  ])('%j holds %j: %s', (pattern, path, holds) => {
    expect(matchesAny(path, [pattern])).toBe(holds)
  })

  it('of several patterns any may hold; of none nothing does (C-90)', () => {
    expect(matchesAny('b', ['a', 'b'])).toBe(true)
    expect(matchesAny('b', [])).toBe(false)
  })

  it('without wildcards is one exact path', () => {
    const text = array(constantFrom('a', 'b', '.', '-', '+', '(', '$', '/'), { minLength: 1 }).map((parts) =>
      parts.join(''),
    )
    assert(
      property(text, text, (pattern, path) => {
        if (pattern.endsWith('/')) return
        expect(matchesAny(path, [pattern])).toBe(pattern === path)
      }),
    )
  })
})
