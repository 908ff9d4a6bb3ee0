import { expect, test } from 'vitest'
import { attributeLine, cQuote } from './c-quote.ts'

test('a name of any bytes becomes plain text between quotes', () => {
  expect(cQuote('a "b"\\c\nü\u0007')).toBe(String.raw`"a \"b\"\\c\012\303\274\007"`)
  expect(cQuote(Buffer.from([0x61, 0xe9]))).toBe(String.raw`"a\351"`)
})

test('a path in an attributes file stands for itself alone', () => {
  expect(attributeLine('dir/a [*]?.txt', ['-text', '-ident'])).toBe(
    String.raw`"/dir/a \\[\\*]\\?.txt" -text -ident` + '\n',
  )
})
