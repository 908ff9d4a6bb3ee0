import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import type { BranchChange } from './gate.ts'

const deleted = (path: string): BranchChange => ({ path, change: 'deleted', emptied: false })
const emptied = (path: string): BranchChange => ({ path, change: 'modified', emptied: true })

function judged(branch: readonly BranchChange[], plan = ''): string {
  return judge('no_unplanned_deletions', { branch, plans: { plan } }, { no_unplanned_deletions: 'plan' })
}

describe('no_unplanned_deletions', () => {
  it('is met where nothing was deleted; a file that was renamed is not', () => {
    const moved: BranchChange = { path: 'b.ts', from: 'a.ts', change: 'moved', emptied: false }
    const renamed: BranchChange = { path: 'd.ts', from: 'c.ts', change: 'renamed', emptied: false }
    expect(judged([])).toBe('met: nothing was deleted')
    expect(judged([moved, renamed])).toBe('met: nothing was deleted')
  })

  it('names what the plan does not, also a file of which nothing is left', () => {
    expect(judged([deleted('src/a.ts'), emptied('src/b.ts')], 'Change src/c.ts.')).toBe(
      "unmet: 2 files deleted that the plan does not name: 'src/a.ts', 'src/b.ts (emptied)'. Bring back what was not meant to go",
    )
  })

  it.each([
    ['by its path', 'Delete `src/old/a.ts`.'],
    ['by its path with a line', 'Delete src/old/a.ts:12-30, and so on'],
    ['by its name', 'a.ts goes'],
    ['by a folder above it', 'Everything in `src/old/` goes'],
    ['by a folder further above, as a pattern', '(src/**)'],
    ['from the current folder', 'rm ./src/old/a.ts'],
  ])('takes a plan that names it %s', (_, plan) => {
    expect(judged([deleted('src/old/a.ts')], plan)).toBe("met: planned: 'src/old/a.ts'")
  })

  it.each([
    ['a longer name', 'Delete data.ts and src/old/a.tsx'],
    ['a folder without its slash', 'The folder src/old is old'],
    ['another folder', 'Everything in `src/older/` goes'],
    ['nothing', ''],
  ])('does not take a plan that names %s', (_, plan) => {
    expect(judged([deleted('src/old/a.ts')], plan)).toMatch(/^unmet: 1 file deleted/)
  })

  it('holds the work to a plan that does not exist as to one that names nothing', () => {
    const facts = { branch: [deleted('a.ts')], plans: {} }
    expect(judge('no_unplanned_deletions', facts, { no_unplanned_deletions: 'plan' })).toMatch(/^unmet/)
    expect(judge('no_unplanned_deletions', facts, { no_unplanned_deletions: 'toString' })).toMatch(/^unmet/)
  })

  it('knows names with spaces', () => {
    expect(judged([deleted('docs/old notes.md')], 'Remove "docs/old notes.md".')).toMatch(/^met/)
  })
})
