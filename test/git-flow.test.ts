import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, sourceFiles } from './support/source-files.ts'
import { testsIn } from './support/test-titles.ts'

interface Rule {
  readonly number: string
  readonly waitsFor: string
}

function rules(): Rule[] {
  const page = readFileSync(join(root, 'docs', 'git-flow.md'), 'utf8')
  return [...page.matchAll(/^\| (\d+) \| .* \| (.*?) ?\|$/gm)].map(([, number = '', waitsFor = '']) => ({
    number,
    waitsFor,
  }))
}

test('every rule of docs/git-flow.md has a live test that names it, or says what it waits for', async () => {
  const files = [...sourceFiles('src'), ...sourceFiles('test')].filter(({ path }) =>
    path.endsWith('.test.ts'),
  )
  const tests = (await Promise.all(files.map(({ path, text }) => testsIn(path, text)))).flat()
  const titles = tests.filter(({ live }) => live).map((one) => one.titles.join(' '))
  const shown = (number: string): boolean =>
    titles.some((title) => new RegExp(`git-flow rule ${number}\\b`).test(title))
  const unshown = rules().filter(({ number, waitsFor }) => shown(number) === (waitsFor !== ''))
  expect(rules()).toHaveLength(13)
  expect(unshown).toEqual([])
})
