import { describe, expect, it } from 'vitest'
import { cutText, lengthOf } from './cut.ts'
import { isHalved } from './safe-path.ts'

const cut = { above: 4000, head: 2500, between: '\n...\n', tail: 1000 }

describe('a long text', () => {
  it.each([0, 1, 3999, 4000])('R003-62: of %d characters stays whole', (length) => {
    const text = 'x'.repeat(length)
    expect(cutText(text, cut)).toBe(text)
  })

  it.each([4001, 5000, 100_000])(
    'R003-63: of %d characters is its first 2500, a mark and its last 1000',
    (length) => {
      const text = Array.from({ length }, (_, index) => String.fromCodePoint(97 + (index % 26))).join('')
      const shortened = cutText(text, cut)
      expect(shortened).toBe(`${text.slice(0, 2500)}\n...\n${text.slice(-1000)}`)
      expect(shortened).toHaveLength(3505)
    },
  )

  it('R003-62, R003-63: is counted in characters, and none of them is halved at a cut', () => {
    const faces = '😀'.repeat(4000)
    expect(faces).toHaveLength(8000)
    expect(cutText(faces, cut)).toBe(faces)
    const more = `é${'😀'.repeat(4000)}ß`
    const shortened = cutText(more, cut)
    expect(shortened).toBe(`é${'😀'.repeat(2499)}\n...\n${'😀'.repeat(999)}ß`)
    expect([lengthOf(shortened), isHalved(shortened)]).toEqual([3505, false])
  })
})
