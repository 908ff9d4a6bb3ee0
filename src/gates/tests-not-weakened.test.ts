import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import type { BranchChange, ChangedFile, TestingFacts } from './gate.ts'

const file = (path: string, before: string | undefined, after: string | undefined): ChangedFile => ({
  ...{ path, before, after },
})

const cases = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `it('${index}', () => {\n  expect(f(${index})).toBe(x)\n})\n`,
  ).join('')

function judged(
  files: readonly ChangedFile[],
  { plan = '', ...more }: Partial<TestingFacts> & { plan?: string; branch?: readonly BranchChange[] } = {},
): string {
  const { branch = [], ...testing } = more
  return judge(
    'tests_not_weakened',
    { testing: { skipped: [], command: [], files, ...testing }, branch, plans: { plan } },
    { tests_not_weakened: 'plan' },
  )
}

describe('tests_not_weakened', () => {
  it('is met by no change, and by more tests', () => {
    expect(judged([])).toBe('met: no test was changed')
    expect(judged([file('a.test.js', cases(1), cases(3))])).toBe(
      'met: 1 test file changed: 1 cases before, 3 now; 1 assertions before, 3 now',
    )
  })

  it('finds cases and assertions that are gone', () => {
    expect(judged([file('a.test.js', cases(3), cases(1))])).toBe(
      "unmet: 2 test cases fewer in 'a.test.js (3 before, 1 now)'; 2 assertions fewer in 'a.test.js (3 before, 1 now)', and the plan does not ask for it",
    )
    const emptied = cases(2).replaceAll(/expect.*\n/g, '\n')
    expect(judged([file('a.test.js', cases(2), emptied)])).toMatch(/^unmet: 2 assertions fewer in 'a.test.js/)
  })

  it('finds assertions that were replaced by what always holds', () => {
    const hollow = cases(2).replaceAll(/expect\(f\(\d\)\).toBe\(x\)/g, 'expect(true).toBe(true)')
    expect(judged([file('a.test.js', cases(2), hollow)])).toMatch(/^unmet: 2 assertions fewer/)
  })

  it('finds a test file that was deleted, also one in which nothing could be counted', () => {
    expect(judged([file('a.test.js', cases(1), undefined)])).toMatch(/^unmet: 1 test case fewer/)
    expect(judged([file('a.test.js', 'run()\n', undefined)])).toMatch(/^unmet: deleted: 'a.test.js'/)
    expect(judged([file('test/helper.js', 'run()\n', undefined)])).toMatch(/^met/)
  })

  it('cases that moved to another file are not gone, unless fewer arrived', () => {
    const left = file('a.test.js', cases(3), cases(1))
    expect(judged([left, file('b.test.js', undefined, cases(2))])).toMatch(/^met/)
    expect(judged([left, file('b.test.js', undefined, cases(1))])).toMatch(/^unmet: 1 test case fewer/)
  })

  it('compares a renamed file with what it was', () => {
    const renamed = { path: 'b.test.js', from: 'a.test.js', before: cases(2), after: cases(1) }
    expect(judged([renamed])).toMatch(/^unmet: 1 test case fewer in 'b.test.js/)
    expect(judged([{ ...renamed, after: cases(2) }])).toMatch(/^met/)
    // Out of reach of the runner is as good as deleted.
    expect(judged([{ ...renamed, path: 'b.txt' }])).toMatch(/^unmet: 2 test cases fewer in 'b.txt/)
  })

  it('a plan that names the file excuses fewer cases in it, and only in it', () => {
    const files = [file('a.test.js', cases(2), cases(1))]
    expect(judged(files, { plan: 'Merge the two cases of `a.test.js`.' })).toMatch(/^met/)
    expect(judged(files, { plan: 'Change b.test.js.' })).toMatch(/^unmet/)
  })

  it('a case that is newly left out is excused only by a plan that says so about this file', () => {
    const files = [file('a.test.js', cases(1), cases(1).replace('it(', 'it.skip('))]
    const plan = 'Change a.test.js.\n\nSkip nothing.'
    expect(judged(files, { plan })).toMatch(/^unmet: tests are left out by 'a.test.js: it.skip\(/)
    expect(judged(files, { plan: 'In a.test.js skip the case until the service is back.' })).toMatch(/^met/)
  })

  it('another case that was taken up again does not pay for it', () => {
    const before = "it('a', () => {})\nit.skip('b', () => {})\n"
    const after = "it.skip('a', () => {})\nit('b', () => {})\n"
    expect(judged([file('a.test.js', before, after)])).toMatch(/^unmet: tests are left out by/)
  })

  it('one that was left out before may stay, and may move', () => {
    const skipped = cases(1).replace('it(', 'it.skip(')
    expect(judged([file('a.test.js', skipped, `${skipped}${cases(1)}`)])).toMatch(/^met/)
    expect(judged([file('a.test.js', skipped, ''), file('b.test.js', undefined, skipped)])).toMatch(/^met/)
  })

  it('one that runs alone leaves out the others', () => {
    const only = cases(2).replace('it(', 'it.only(')
    expect(judged([file('a.test.js', cases(2), only)])).toMatch(/^unmet: tests are left out/)
  })

  it('says which files were too large to look into', () => {
    expect(judged([], { skipped: ['big.test.js'] })).toBe(
      "met: no test was changed\nnot looked into, over 1 MB: 'big.test.js'",
    )
  })
})

describe('how the tests are run may not change unplanned', () => {
  const script = (test: string, more = {}): string =>
    JSON.stringify({ scripts: { test, ...more }, version: '1' })

  it('in package.json: the script, and those that it runs', () => {
    const changed = (before: string, after: string): string => judged([file('package.json', before, after)])
    expect(changed(script('vitest'), script('true'))).toBe(
      "unmet: how the tests are run was changed in 'package.json', and the plan does not ask for it",
    )
    expect(
      changed(script('npm run unit', { unit: 'vitest' }), script('npm run unit', { unit: 'true' })),
    ).toMatch(/^unmet/)
    expect(changed(script('vitest'), script('vitest', { build: 'tsc' }))).toMatch(/^met/)
    expect(changed(script('vitest'), '{ no JSON')).toMatch(/^unmet/)
    expect(changed('{}', script('vitest'))).toMatch(/^met/)
    expect(changed(script('echo "Error: no test specified"'), script('vitest'))).toMatch(/^met/)
  })

  it.each([
    [
      'Makefile',
      'test:\n\tpytest\nrun:\n\tx\n',
      'test:\n\ttrue\nrun:\n\tx\n',
      'test:\n\tpytest\nrun:\n\ty\n',
    ],
    [
      'pyproject.toml',
      '[tool.pytest.ini_options]\naddopts = "-q"\n[x]\na=1\n',
      '[tool.pytest.ini_options]\naddopts = "-k no"\n[x]\na=1\n',
      '[tool.pytest.ini_options]\naddopts = "-q"\n[x]\na=2\n',
    ],
    [
      'Cargo.toml',
      '[lib]\nname = "a"\n[dependencies]\n',
      '[lib]\nname = "a"\ntest = false\n[dependencies]\n',
      '[lib]\nname = "a"\n[dependencies]\nb = "1"\n',
    ],
  ])('in %s: the part that is about tests', (path, before, weaker, other) => {
    expect(judged([file(path, before, weaker)])).toMatch(/^unmet: how the tests are run/)
    expect(judged([file(path, before, other)])).toMatch(/^met/)
  })

  it.each(['pytest.ini', 'packages/a/vitest.config.ts', '.mocharc.json', '.baton/config.yaml'])(
    'in %s: anything, and that it is there at all',
    (path) => {
      expect(judged([file(path, 'a', 'b')])).toMatch(/^unmet/)
      expect(judged([file(path, undefined, 'b')])).toMatch(/^unmet/)
      expect(judged([file(path, 'a', undefined)])).toMatch(/^unmet/)
      expect(judged([file(path, 'a', 'b')], { plan: `Change ${path}.` })).toMatch(/^met/)
    },
  )

  it('in a script that the command runs, unless its cases can be counted', () => {
    const branch = [
      { path: 'check.sh', change: 'modified', emptied: false },
      { path: 'test/all.js', change: 'modified', emptied: false },
      { path: 'test/run.js', change: 'modified', emptied: false },
    ] as const
    const command = ['sh', './check.sh', 'test/all.js', 'test/run.js']
    const files = [file('test/all.js', cases(1), cases(1)), file('test/run.js', 'start()', 'exit(0)')]
    expect(judged(files, { branch, command })).toBe(
      "unmet: how the tests are run was changed in 'check.sh', 'test/run.js', and the plan does not ask for it",
    )
    expect(
      judged(files, { branch: [{ path: 'check.sh', change: 'added', emptied: false }], command }),
    ).toMatch(/^met/)
  })
})
