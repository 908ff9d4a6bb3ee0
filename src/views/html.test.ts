import { describe, expect, test } from 'vitest'
import { markup } from './html.ts'

describe('what is put into a page', () => {
  test('is text, never markup', () => {
    expect(markup`<p>${'<script>"&\'</script>'}</p>`.html).toBe(
      '<p>&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;</p>',
    )
  })

  test('may be other pieces, and lists of them', () => {
    const items = ['a', 'b'].map((item) => markup`<li>${item}</li>`)
    expect(markup`<ul title="${1}">${items}</ul>`.html).toBe('<ul title="1"><li>a</li><li>b</li></ul>')
  })

  test('shows control characters and turns of direction instead of obeying them', () => {
    expect(markup`${'a\u001B[31mb\u007F\u202Ec\n\td'}`.html).toBe('a␛[31mb␡\u{FFFD}c\n\td')
  })
})
