import { expect, it } from 'vitest'
import { parseYamlDocument } from './yaml-document.ts'

it.each([
  ['a list', 'a: 1\ntests: { command: [make, test', '2:19: not valid YAML: the [ is not closed', ']'],
  ['a list that the next key ends', 'a: [1, 2\nb: 3\n', '1:4: not valid YAML: the [ is not closed', ']'],
  ['a map', 'a: 1\nb: {x: 1\nc: 3\n', '2:4: not valid YAML: the { is not closed', '}'],
  ['a map of JSON', '{"a": 1', '1:1: not valid YAML: the { is not closed', '}'],
  ['a quote', 'base: "main\nb: 1\n', '1:7: not valid YAML: the " is not closed', '"'],
  ['a quote in a list', "a: [b, 'x\nc: d\n", "1:8: not valid YAML: the ' is not closed", "'"],
])('what is not closed is told where it opens: %s', async (_, text, told, closer) => {
  const { problems } = await parseYamlDocument('f.yaml', text)
  const [first] = problems
  expect(`${first?.line}:${first?.column}: ${first?.message}`).toBe(told)
  expect(first?.fix).toBe(`write the closing ${closer}, in the same line or with all lines up to it indented`)
})

it('other mistakes are told where they are', async () => {
  const { problems } = await parseYamlDocument('f.yaml', 'a: 1\nb: ]\n')
  expect(problems[0]).toMatchObject({ line: 2, column: 4, fix: 'correct the syntax here' })
})

it.each([
  ['a line too far to the left', 'a:\n  - id: w\n   each: x\n', 'same column'],
  ['a line too far to the right', 'a:\n  - id: w\n    agent: b\n      when: { c: d }\n', 'same column'],
  ['keys in two columns', 'a:\n b: {}\n  c: {}\n', 'same column'],
  ['a list below keys', 'a:\n  b: {}\n  - id: w\n', 'same column'],
  ['a colon in a text', 'a: b: c\n', 'quotes'],
  ['a colon in a text in braces', 'a: { b: c: {d} }\n', 'quotes'],
  ['a sign that YAML keeps for itself', 'a: @b\n', 'quotes'],
])('%s is told with what to do', async (_, text, fix) => {
  const { problems } = await parseYamlDocument('f.yaml', text)
  expect(problems[0]?.fix).toContain(fix)
})
