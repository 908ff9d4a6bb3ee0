import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import { planParts } from './plan-has-parts.ts'

const plan = planParts.map((part) => `## ${part}\n\nText.\n`).join('\n')

describe('plan_has_parts', () => {
  const judged = (text: string): string => judge('plan_has_parts', { artifacts: { 'plan.md': text } })

  it('takes a plan with all six parts (R001-100 to R001-105)', () => {
    expect(judged(plan)).toBe('met: all six parts are there')
  })

  it.each(planParts)('misses %s', (part) => {
    expect(judged(plan.replace(part, 'Other'))).toBe(`unmet: the plan lacks: '## ${part}'`)
  })

  it('a heading without anything below it is no part', () => {
    expect(judged(plan.replace('## Test Scenarios\n\nText.', '## Test Scenarios\n\n'))).toBe(
      "unmet: the plan lacks: '## Test Scenarios'",
    )
  })

  it.each(['None', '- None.', 'n/a', '**Not applicable**'])('sends back %s without a reason', (word) => {
    const bare = plan.replace('## Test Scenarios\n\nText.', `## Test Scenarios\n\n${word}`)
    expect(judged(bare)).toBe("unmet: 'None' without a reason: '## Test Scenarios'")
    expect(judged(bare.replace(word, `${word}: it is a comment`))).toBe('met: all six parts are there')
  })

  it('takes numbers, other levels, other case, longer titles and Windows line ends', () => {
    const loose = planParts
      .map((part, index) => `# ${index + 1}. ${part.toUpperCase()} (v1) #\r\ntext`)
      .join('\r\n')
    expect(judged(loose)).toBe('met: all six parts are there')
  })

  it('subsections belong to their part', () => {
    const nested = plan.replaceAll('Text.', '### Inner\n\ntext')
    expect(judged(nested)).toBe('met: all six parts are there')
  })

  it('a plan that does not exist lacks everything', () => {
    expect(judge('plan_has_parts')).toContain("'## Completion Checklist'")
  })
})
