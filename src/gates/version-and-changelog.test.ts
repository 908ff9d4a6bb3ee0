import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import type { BranchChange } from './gate.ts'

const change = (path: string, more: Partial<BranchChange> = {}): BranchChange => ({
  ...{ path, change: 'modified', emptied: false },
  ...more,
})

function judged(baseNames: readonly string[], ...branch: readonly BranchChange[]): string {
  return judge('version_and_changelog', { baseNames, branch })
}

describe('version_and_changelog (R001-114)', () => {
  it('asks for nothing that the project does not have', () => {
    expect(judged(['README.md', 'src'])).toBe('met: the project has neither')
    expect(judged(['VERSIONS', 'changelogs', 'history'].slice(0, 2))).toBe('met: the project has neither')
  })

  it('asks for each that it has', () => {
    const both = ['VERSION', 'CHANGELOG.md']
    expect(judged(both, change('VERSION'), change('CHANGELOG.md'))).toBe(
      "met: changed on the branch: 'VERSION', 'CHANGELOG.md'",
    )
    expect(judged(both, change('VERSION'))).toBe("unmet: not changed on the branch: 'CHANGELOG.md'")
    expect(judged(both)).toBe("unmet: not changed on the branch: 'VERSION', 'CHANGELOG.md'")
  })

  it.each(['CHANGELOG', 'changelog.md', 'CHANGES.md', 'History.md'])('knows %s', (name) => {
    expect(judged([name])).toMatch(/^unmet/)
    expect(judged([name], change(name))).toMatch(/^met/)
  })

  it('takes one of several changelogs', () => {
    expect(judged(['CHANGES.md', 'HISTORY.md'], change('HISTORY.md'))).toMatch(/^met/)
  })

  it('does not take one in another folder, nor one that was deleted, emptied, only moved or only given another mode', () => {
    expect(judged(['VERSION'], change('lib/VERSION'))).toMatch(/^unmet/)
    expect(judged(['VERSION'], change('VERSION', { change: 'deleted' }))).toMatch(/^unmet/)
    expect(judged(['VERSION'], change('VERSION', { emptied: true }))).toMatch(/^unmet/)
    expect(judged(['VERSION'], change('old/VERSION', { change: 'moved', from: 'VERSION' }))).toMatch(/^unmet/)
    expect(judged(['VERSION'], change('VERSION', { change: 'mode' }))).toMatch(/^unmet/)
  })

  it('takes one that was renamed and changed', () => {
    const renamed = change('CHANGELOG.md', { change: 'renamed', from: 'CHANGELOG' })
    expect(judged(['CHANGELOG'], renamed)).toMatch(/^met/)
  })
})
