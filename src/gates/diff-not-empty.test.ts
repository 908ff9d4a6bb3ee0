import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import type { BranchChange } from './gate.ts'

const changed = (path: string): BranchChange => ({ path, change: 'modified', emptied: false })

describe('diff_not_empty', () => {
  const judged = (...paths: readonly string[]): string =>
    judge('diff_not_empty', { branch: paths.map(changed), documents: ['docs/dev_docs', 'report.md'] })

  it('is met by anything besides the documents of the workflow', () => {
    expect(judged('src/a.ts', 'docs/dev_docs/plan.md')).toBe('met: 1 path changed on the branch')
    expect(judged('docs/dev_docs_more/a.md', 'docs/guide.md')).toBe('met: 2 paths changed on the branch')
  })

  it('is not met by a plan and its reviews', () => {
    const nothing = "unmet: the branch changes nothing but the workflow's own documents"
    expect(judged()).toBe(nothing)
    expect(judged('docs/dev_docs/plans/plan.md', 'docs/dev_docs/backlog.md', 'report.md')).toBe(nothing)
  })
})
