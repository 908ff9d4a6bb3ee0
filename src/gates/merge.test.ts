import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'

describe('after a merge', () => {
  it('no conflict markers may be left (R001-121)', () => {
    expect(judge('no_conflict_markers')).toBe('met: none left')
    expect(judge('no_conflict_markers', { markers: ['a.ts:3', 'b.ts:9'] })).toBe(
      'unmet: conflict markers are left at a.ts:3, b.ts:9',
    )
  })

  it('the merge must be committed (R001-121)', () => {
    expect(judge('merge_commit', { merged: true })).toMatch(/^met/)
    expect(judge('merge_commit')).toBe('unmet: the merge was not committed')
  })
})
