import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  capabilities,
  numbersIn,
  numbersOf,
  problemsIn,
  rowsOf,
  specifications,
} from './support/requirements.ts'
import { root, sourceFiles } from './support/source-files.ts'
import { testsIn } from './support/test-titles.ts'

describe('docs/requirements.md', () => {
  /** This file's own titles hold made-up numbers. */
  function isTestFile(path: string): boolean {
    return path.endsWith('.test.ts') && path !== 'test/requirements.test.ts'
  }

  it('names, for every requirement of the specifications, a live test that shows it, or what it waits for', async () => {
    const document = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8')
    const files = [...sourceFiles('src'), ...sourceFiles('test')].filter(({ path }) => isTestFile(path))
    const tests = (await Promise.all(files.map(({ path, text }) => testsIn(path, text)))).flat()
    expect(tests.length).toBeGreaterThan(100)
    const problems = problemsIn({ document, tests })
    expect(problems, `docs/requirements.md and the tests disagree:\n${problems.join('\n')}\n`).toEqual([])
  })

  it('explains every capability that a row may wait for', () => {
    const document = readFileSync(join(root, 'docs', 'requirements.md'), 'utf8')
    const explained = [...document.matchAll(/^- `([a-z ]+)`: /gm)].map(([, name = '']) => name)
    expect(explained.toSorted()).toEqual([...capabilities].toSorted())
  })
})

describe('the numbers', () => {
  it('are 554: 83 of specification 000, 165 of 001, 59 of 002, 96 of 003 and 151 of 004', () => {
    const numbers = numbersOf(specifications)
    expect(numbers).toHaveLength(554)
    expect([numbers[0], numbers[82], numbers[83], numbers[247], numbers[553]]).toEqual([
      ...['R000-01', 'R000-83', 'R001-01', 'R001-165', 'R004-151'],
    ])
  })

  it.each([
    ['goes on to the plan (R001-33)', ['R001-33']],
    ['R000-40, R001-25: begins at investigate', ['R000-40', 'R001-25']],
    ['R000-31 to R000-33: finds it', ['R000-31', 'R000-32', 'R000-33']],
    ['R000-37 to 39: the state', ['R000-37', 'R000-38', 'R000-39']],
    ['says them (R001-99..101)', ['R001-99', 'R001-100', 'R001-101']],
    ['says them (R001-99..R001-101)', ['R001-99', 'R001-100', 'R001-101']],
    ['R001-12 to R000-14 is no range', ['R001-12', 'R000-14']],
    ['R001-14..12 runs backwards', ['R001-14', 'R001-12']],
    ['R001-12 to 5 people, later R002-07', ['R001-12', 'R001-5', 'R002-07']],
    ['C-17 and XR001-12 are none', []],
  ])('are found in the title "%s"', (title, numbers) => {
    expect(numbersIn(title)).toEqual(numbers)
  })
})

describe('the tests of a file', () => {
  it('are those of it and test, with the titles of the groups around them', async () => {
    const source = `
      describe('group A', () => {
        it('does one', () => { expect(1).toBe(1) })
        describe(\`group B of \${name}\`, () => { test('does ' + 'two', { timeout: 5 }, async () => { go() }) })
      })
      it.concurrent('does three', () => { go() }, 5000)
      for (const mode of modes) it(\`does four in \${mode}\`, () => { go() })
      it('does five', sharedBody)`
    expect(await liveTitles(source)).toEqual([
      'group A > does one',
      'group A > group B of $ > does two',
      'does three',
      'does four in $',
      'does five',
    ])
  })

  it('include tables of cases, with the texts that fill the title', async () => {
    const source = `
      const cases: [string, number][] = [['A-1', 1, 'B-1'], ['A-2', 2, 'B-2']]
      it.each(cases)('%s gives %d', (name, value) => { go(name, value) })
      describe.each([{ id: 'A-3', not: 'B-3' }])('$id', () => { it.concurrent.each(['A-4'])('of %s', () => { go() }) })
      it.each(cases)('title without a gap', () => { go() })`
    expect(await liveTitles(source)).toEqual([
      '%s gives %d A-1 A-2',
      '$id A-3 > of %s A-4',
      'title without a gap',
    ])
  })

  it.each([
    `it.skip('is off', () => { go() })`,
    `it.skipIf(true)('is off', () => { go() })`,
    `describe.runIf(false)('is off', () => { it('inner', () => { go() }) })`,
    `it('is off', () => { return; go() })`,
    `it.todo('is off')`,
    `it('is off')`,
    `it('is off', () => {})`,
    `it.fails('is off', () => { go() })`,
    `it('is off', { skip: true }, () => { go() })`,
    `it.skip.each([1])('is off', () => { go() })`,
    `describe.skip('is off', () => { it('inner', () => { go() }) })`,
    `describe.todo('is off', () => { describe('middle', () => { it('inner', () => { go() }) }) })`,
    `// it('is off', () => { go() })`,
    `/* it('is off', () => { go() }) */`,
    `const text = "it('is off', () => { go() })"`,
    `describe('is off', () => { go() })`,
  ])('are not live in: %s', async (source) => {
    expect(await liveTitles(source)).toEqual([])
  })

  it('are live when only a condition may leave them out', async () => {
    expect(await liveTitles(`it.skipIf(isWindows)('is on', () => { go() })`)).toEqual(['is on'])
    expect(await liveTitles(`it('is on', { skip: false }, () => { go() })`)).toEqual(['is on'])
  })

  async function liveTitles(source: string): Promise<string[]> {
    const tests = await testsIn('made-up.test.ts', source)
    return tests.filter(({ live }) => live).map(({ titles }) => titles.join(' > '))
  }
})

describe('the check', () => {
  const specs = { R000: 2, R001: 1 }
  const shown = `it('R000-01: starts', () => { go() })\ndescribe('R000-02', () => { it('ends', () => { go() }) })`
  const rows = [
    '| R000-01 | It starts. | `test/a.test.ts` |',
    '| R000-02 | It ends. | `test/a.test.ts`; rest later: real agents |',
    '| R001-01 | It is pushed. | later: truth gates |',
  ]

  it('reads the three forms of a row', () => {
    expect(
      rowsOf(`# Title\n\n| number | requirement | shown by |\n|---|---|---|\n${rows.join('\n')}\n`),
    ).toEqual([
      { number: 'R000-01', requirement: 'It starts.', files: ['test/a.test.ts'] },
      { number: 'R000-02', requirement: 'It ends.', files: ['test/a.test.ts'], later: 'real agents' },
      { number: 'R001-01', requirement: 'It is pushed.', files: [], later: 'truth gates' },
    ])
  })

  it('finds nothing where every row is right', async () => {
    expect(await check(rows, shown)).toEqual([])
  })

  it.each([
    {
      what: 'a number without a row',
      change: (all: string[]) => all.slice(1),
      says: ['R000-01 has no row: add one to docs/requirements.md'],
    },
    {
      what: 'a number with two rows',
      change: (all: string[]) => [...all, '| R001-01 | Again. | later: real agents |'],
      says: ['R001-01 has more than one row: keep one'],
    },
    {
      what: 'a row for a number that does not exist',
      change: (all: string[]) => [...all, '| R001-02 | Nothing. | later: real agents |'],
      says: ['R001-02 is no requirement: remove its row, or correct the number'],
    },
    {
      what: 'a row that names a file without such a test',
      change: (all: string[]) => ['| R000-01 | It starts. | `test/b.test.ts` |', ...all.slice(1)],
      says: [
        'R000-01 names test/b.test.ts, which has no live test with this number: add the test, or correct the row (there is one in test/a.test.ts)',
      ],
    },
    {
      what: 'one wrong file among several',
      change: (all: string[]) => [
        '| R000-01 | It starts. | `test/a.test.ts`, `test/c.test.ts` |',
        ...all.slice(1),
      ],
      says: [
        'R000-01 names test/c.test.ts, which has no live test with this number: add the test, or correct the row (there is one in test/a.test.ts)',
      ],
    },
    {
      what: 'a row that says nothing',
      change: (all: string[]) => [...all.slice(0, 2), '| R001-01 | It is pushed. | |'],
      says: ["R001-01 says neither where it is shown nor 'later': ''"],
    },
    {
      what: 'a row without a requirement',
      change: (all: string[]) => ['| R000-01 | | `test/a.test.ts` |', ...all.slice(1)],
      says: ['R000-01 does not say what Baton does: write one sentence'],
    },
    {
      what: 'a capability that nobody knows',
      change: (all: string[]) => [...all.slice(0, 2), '| R001-01 | It is pushed. | later: some day |'],
      says: [`R001-01 waits for 'some day', which is none of: ${capabilities.join(', ')}`],
    },
    {
      what: 'an unknown capability for the rest',
      change: (all: string[]) => [
        all[0] ?? '',
        '| R000-02 | It ends. | `test/a.test.ts`; rest later: luck |',
        all[2] ?? '',
      ],
      says: [`R000-02 waits for 'luck', which is none of: ${capabilities.join(', ')}`],
    },
  ])('fails for $what', async ({ change, says }) => {
    expect(await check(change(rows), shown)).toEqual(says)
  })

  it('fails for a later that is shown after all', async () => {
    expect(await check(rows, `${shown}\nit('pushes (R001-01)', () => { go() })`)).toEqual([
      "R001-01 says 'later', but has a live test: name test/a.test.ts in its row",
    ])
  })

  it('fails when the test of a row is skipped', async () => {
    expect(await check(rows, shown.replace("it('R000-01", "it.skip('R000-01"))).toEqual([
      'R000-01 names test/a.test.ts, which has no live test with this number: add the test, or correct the row',
    ])
  })

  it('fails for a number in a title that does not exist, in a skipped test too', async () => {
    expect(await check(rows, `${shown}\nit.skip('R001-99 and R003-99 and R000-2', () => { go() })`)).toEqual([
      'R001-99 in a title of test/a.test.ts does not exist: correct the number',
      'R000-2 in a title of test/a.test.ts does not exist: correct the number',
    ])
  })

  async function check(lines: readonly string[], source: string): Promise<string[]> {
    return problemsIn({ document: lines.join('\n'), tests: await testsIn('test/a.test.ts', source) }, specs)
  }
})
