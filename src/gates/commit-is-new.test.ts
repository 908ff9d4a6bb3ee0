import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'

const commit = '7f3a2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'

describe('commit_is_new', () => {
  it('needs a commit that was made in this step (C-22)', () => {
    expect(judge('commit_is_new')).toBe('unmet: no commit was made in this step')
    expect(judge('commit_is_new', { commits: [commit], changes: 1 })).toBe('met: 1 new on the task branch')
  })

  it('needs one that changes something', () => {
    expect(judge('commit_is_new', { commits: [commit], changes: 0 })).toMatch(/^unmet/)
  })

  it('a claimed hash must be one of them, whole or short, in any case (R001-116, C-22)', () => {
    const claim = (hash: string): string =>
      judge('commit_is_new', { commits: [commit], changes: 1, answer: { commit_hash: hash } })
    expect(claim('7f3a2b1')).toBe('met: 7f3a2b1c9d8e is on the task branch and was made in this step')
    expect(claim('7F3A2B1C')).toMatch(/^met/)
    expect(claim('abc1234')).toBe('unmet: commit abc1234 is not among the 1 commits made in this step')
  })

  it('an empty claim, or one that is no hash, is a wrong claim', () => {
    for (const hash of [
      '',
      '7',
      '7f3a2b',
      'success',
      'HEAD',
      `${commit}0`,
      ` ${commit}`,
      null,
      7_654_321,
      [commit],
    ]) {
      expect(
        judge('commit_is_new', { commits: [commit], changes: 1, answer: { commit_hash: hash } }),
      ).toMatch(/^unmet/)
    }
  })

  it('a short hash that fits two of them is not taken', () => {
    const commits = [commit, `${commit.slice(0, 20)}${'0'.repeat(20)}`]
    const claim = (hash: string): string =>
      judge('commit_is_new', { commits, changes: 1, answer: { commit_hash: hash } })
    expect(claim(commit.slice(0, 12))).toBe(
      "unmet: 7f3a2b1c9d8e could be more than one of this step's commits",
    )
    expect(claim(commit.slice(0, 21))).toMatch(/^met/)
  })

  it('a commit is not asked of the agent where a person has mended it by hand', () => {
    expect(judge('commit_is_new', { byHand: true })).toBe('met: changes made by hand were taken over')
    expect(judge('commit_is_new', { byHand: false })).toMatch(/^unmet/)
  })
})
