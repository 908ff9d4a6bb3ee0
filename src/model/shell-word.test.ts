import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test('a plain path stays as it is; anything that a shell would read is in quotes', () => {
  expect(shellWord('/home/ada/my-project_2/.baton@1')).toBe('/home/ada/my-project_2/.baton@1')
  expect(shellWord('/home/Müller & Co/de mo')).toBe("'/home/Müller & Co/de mo'")
  expect(shellWord("it's $HOME")).toBe(String.raw`'it'\''s $HOME'`)
  expect(shellWord('')).toBe("''")
})
