import { assert, integer, option, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadedSupervised } from '../../test/support/goal-run.ts'
import type { Level } from '../model/supervision.ts'
import { countIssues, levelFor } from './escalation.ts'

const levels: readonly Level[] = (await loadedSupervised()).supervision?.escalation ?? []
const calm = { issues: 0, items: { total: 10, failed: 0 } }
const names = ['NONE', 'REMIND', 'CORRECT', 'REFOCUS', 'CRITICAL', 'ABORT']

describe('the level after a judgement', () => {
  it.each([
    [100, 'NONE', 'R004-116'],
    [70, 'NONE', 'R004-116'],
    [69, 'REMIND', 'R004-117'],
    [50, 'REMIND', 'R004-117'],
    [49, 'CORRECT', 'R004-118'],
    [30, 'CORRECT', 'R004-118'],
    [29, 'REFOCUS', 'R004-119'],
    [0, 'REFOCUS', 'R004-119'],
  ])('of %d is %s (%s)', (score, level) => {
    expect(levelFor(levels, { ...calm, score })?.level).toBe(level)
  })

  it.each([
    [1, 'NONE', 'C-51'],
    [2, 'CORRECT', 'R004-118'],
    [3, 'REFOCUS', 'R004-119'],
    [4, 'CRITICAL', 'R004-120'],
    [5, 'ABORT', 'R004-121'],
    [9, 'ABORT', 'R004-121'],
  ])('with %d issues in a row is %s, however good the score (%s)', (issues, level) => {
    expect(levelFor(levels, { ...calm, score: 90, issues })?.level).toBe(level)
  })

  it.each([
    [10, 3, 'NONE'],
    [10, 4, 'CRITICAL'],
    [4, 1, 'NONE'],
    [4, 2, 'CRITICAL'],
    [100, 3, 'NONE'],
    [100, 4, 'CRITICAL'],
  ])('with %d items, of which %d have failed, is %s (R004-142, C-55)', (total, failed, level) => {
    expect(levelFor(levels, { score: 90, issues: 0, items: { total, failed } })?.level).toBe(level)
  })

  it('is the more severe of score and count, and never milder for a lower score or one more issue (C-51)', () => {
    const situation = record({
      score: option(integer({ min: 0, max: 100 }), { nil: undefined }),
      issues: integer({ min: 0, max: 7 }),
    })
    const severity = (score: number | undefined, issues: number): number =>
      names.indexOf(
        levelFor(levels, { ...calm, ...(score === undefined ? {} : { score }), issues })?.level ?? '',
      )
    assert(
      property(situation, ({ score, issues }) => {
        expect(severity(score, issues + 1)).toBeGreaterThanOrEqual(severity(score, issues))
        expect(severity(score, issues)).toBe(Math.max(severity(score, 0), severity(undefined, issues)))
        if (score !== undefined && score > 0)
          expect(severity(score - 1, issues)).toBeGreaterThanOrEqual(severity(score, issues))
      }),
    )
  })

  it('counts from a clean judgement on; one that could not be made changes nothing (C-51, C-53)', () => {
    expect(countIssues(3, 'unmet')).toBe(4)
    expect(countIssues(3, 'met')).toBe(0)
    expect(countIssues(3, 'inconclusive')).toBe(3)
  })
})
