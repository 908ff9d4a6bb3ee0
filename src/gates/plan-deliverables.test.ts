import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import type { BranchChange } from './gate.ts'

const changed = (path: string, more: Partial<BranchChange> = {}): BranchChange => ({
  ...{ path, change: 'modified', emptied: false },
  ...more,
})

const judged = (gate: string, plan: string, branch: readonly BranchChange[]): string =>
  judge(gate, { plans: { plan }, branch }, { [gate]: 'plan' })

describe('tests_written', () => {
  const tests = (plan: string, ...branch: BranchChange[]): string => judged('tests_written', plan, branch)
  const plan = '## Test Scenarios\n\n1. `total([])` is 0\n\n## Documentation Updates\n\nNone: a fix.\n'

  it('R001-112: wants a test on the branch where the plan has test scenarios', () => {
    expect(tests(plan, changed('src/total.js'))).toBe(
      'unmet: the plan has test scenarios, and no test was written or changed on the branch',
    )
    expect(tests(plan, changed('src/total.js'), changed('test/total.test.js', { change: 'added' }))).toBe(
      "met: tests on the branch: 'test/total.test.js'",
    )
  })

  it.each([
    'src/total_test.go',
    'spec/total_spec.rb',
    'tests/total.cpp',
    'src/TotalTest.php',
    'test_total.c',
  ])('knows a test by its folder or its name: %s', (path) =>
    expect(tests(plan, changed(path))).toMatch(/^met/),
  )

  it.each(['src/latest.c', 'src/contest.js', 'docs/testing-notes.md', 'src/inspect.ts'])(
    'takes for none what only sounds like one: %s',
    (path) => expect(tests(plan, changed(path))).toMatch(/^unmet/),
  )

  it('does not count what was deleted, emptied, or only moved', () => {
    const gone = changed('test/a.test.js', { change: 'deleted' })
    const empty = changed('test/b.test.js', { emptied: true })
    const moved = changed('test/c.test.js', { change: 'moved', from: 'c.test.js' })
    expect(tests(plan, gone, empty, moved)).toMatch(/^unmet/)
  })

  it('wants none where the plan says so with a reason, or a person does, or there is no plan', () => {
    const none = plan.replace('1. `total([])` is 0', 'None: it is a comment.')
    expect(tests(none, changed('src/total.js'))).toBe('met: it is said: None: it is a comment.')
    expect(tests(`${plan}\nNo tests: I have looked at it.`, changed('a.js'))).toBe(
      'met: it is said: No tests: I have looked at it.',
    )
    expect(tests('', changed('a.js'))).toBe("met: there is no plan that has '## Test Scenarios'")
    const sounding = plan.replace('1. `total([])` is 0', '- None of the items is lost')
    expect(tests(sounding, changed('a.js'))).toMatch(/^unmet/)
  })
})

describe('documents_updated', () => {
  const documents = (updates: string, ...branch: BranchChange[]): string =>
    judged('documents_updated', `## Documentation Updates\n\n${updates}\n`, branch)

  it('R001-113: wants each document changed that the plan names there', () => {
    const updates = '- `docs/guide.md#totals`: what a discount is\n- CHANGELOG.md, under Unreleased\n'
    expect(documents(updates, changed('CHANGELOG.md'))).toBe(
      "unmet: the plan wants it updated, and the branch has not changed it: 'docs/guide.md'",
    )
    expect(documents(updates, changed('CHANGELOG.md'), changed('docs/guide.md'))).toBe(
      "met: changed on the branch: 'docs/guide.md', 'CHANGELOG.md'",
    )
  })

  it('takes a name without its folder, a folder for anything in it, and what was to be removed', () => {
    expect(documents('guide.md', changed('docs/guide.md'))).toMatch(/^met/)
    expect(documents('everything in docs/api/', changed('docs/api/a.md'))).toMatch(/^met/)
    expect(documents('everything in docs/api/', changed('docs/a.md'))).toMatch(/^unmet/)
    expect(documents('old.md is removed', changed('old.md', { change: 'deleted' }))).toMatch(/^met/)
  })

  it('does not want what the plan leaves as it is, nor what it quotes from elsewhere', () => {
    const updates = 'README.md stays as it is\nCHANGELOG.md as https://example.org/how.html says'
    expect(documents(updates, changed('CHANGELOG.md'))).toBe("met: changed on the branch: 'CHANGELOG.md'")
  })

  it('wants any document where the plan names none', () => {
    expect(documents('The guide says what a discount is.', changed('src/a.js'))).toBe(
      'unmet: the plan wants documents updated, and none was changed on the branch',
    )
    expect(documents('The guide says what a discount is.', changed('docs/guide.md'))).toBe(
      "met: changed on the branch: 'docs/guide.md'",
    )
  })

  it('wants none where the plan says so with a reason', () => {
    expect(documents('None: nobody sees it.', changed('src/a.js'))).toBe(
      'met: it is said: None: nobody sees it.',
    )
  })
})
