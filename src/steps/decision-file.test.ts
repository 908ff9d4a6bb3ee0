import { describe, expect, it } from 'vitest'
import { decisionFile } from './decision-file.ts'

const decision = {
  ...{ title: 'LEAD ANALYST', step: 'analyst_review', round: 2, label: 'REJECT', model: 'gemini-pro' },
  ...{ time: '2025-10-02T12:00:00.000Z', task: 'Add search\nand more' },
  answer: { verdict: 'REJECT', feedback: 'No root cause.\n', score: 40, backlog_items: ['x'] },
}

describe('the file of a decision', () => {
  it('holds verdict, feedback, role, model and time (C-17)', () => {
    expect(decisionFile(decision)).toBe(
      [
        '# analyst_review, round 2: REJECT',
        '',
        '- Verdict: **REJECT**',
        '- Role: LEAD ANALYST',
        '- Model: gemini-pro',
        '- Time: 2025-10-02T12:00:00.000Z',
        '- Task: Add search',
        '- score: 40',
        '',
        '## Feedback',
        '',
        'No root cause.',
        '',
      ].join('\n'),
    )
  })

  it('says so where there is no feedback', () => {
    expect(decisionFile({ ...decision, answer: { verdict: 'APPROVE' } })).toContain('## Feedback\n\nNone.\n')
  })

  it('takes the reason for feedback where that is what the role gives (C-21)', () => {
    expect(decisionFile({ ...decision, answer: { reason: 'tests fail' } })).toContain(
      '## Feedback\n\ntests fail\n',
    )
  })
})
