import { describe, expect, it } from 'vitest'
import { judge } from '../../test/support/judge.ts'
import { claimedPaths } from './checklist.ts'
import { nothingCollected } from './gate.ts'
import type { GateFacts } from './gate.ts'

const plan = `# Plan

## Expected Deliverables
- \`src/toggle.ts\` and test/toggle.test.ts, for Node.js and/or Deno
- \`README.md\`

## Completion Checklist
- [ ] The toggle is there
- [ ] It **remembers** its state,
      also after a reload
`

const done = '- [x] the toggle is there\n- [x] It remembers its state, also after a reload: `npm test`\n'

function judged(report: string, more: Partial<GateFacts> = {}): string {
  const facts = { artifacts: { 'report.md': report }, plans: { plan }, ...more }
  return judge('checklist_done', facts, { checklist_done: 'plan' })
}

describe('checklist_done (R001-115)', () => {
  it('finds every item of the plan in the report, ticked, whatever the marks, case and line breaks', () => {
    expect(judged(done)).toBe('met: 2 items ticked, 2 of them from the plan')
    expect(
      judged(`1. [X] THE TOGGLE IS THERE!\n* [x] it remembers its\n  state (also after a reload)`),
    ).toMatch(/^met/)
  })

  it('names the items that the report lacks', () => {
    expect(judged('- [x] the toggle is there\n')).toBe(
      "unmet: items of the plan that the report lacks: 'It **remembers** its state, also after a reload'",
    )
    expect(judged('- [x] the toggle is\n- [x] there it remembers its state also after a reload')).toMatch(
      /lacks: 'The toggle is there'$/,
    )
  })

  it('an item that is not ticked is not done, and its reason is shown', () => {
    expect(judged(done.replace('[x] the toggle is there', '[ ] the toggle is there: no time'))).toBe(
      "unmet: not done: 'the toggle is there: no time'",
    )
    expect(judged(`${done}- [ ] one more thing\n`)).toBe("unmet: not done: 'one more thing'")
  })

  it('a report without a checklist is none, and neither is an example in a fence', () => {
    expect(judged('All done.\n')).toBe('unmet: the report has no checklist')
    expect(judged(`\`\`\`\n${done}\`\`\`\n`)).toBe('unmet: the report has no checklist')
  })

  it('a file that proves an item has to exist', () => {
    const proven = done.replace('`npm test`', '`src/nothing.ts:12`')
    expect(judged(proven, { absent: ['src/nothing.ts'] })).toBe(
      "unmet: ticked with what does not exist: 'src/nothing.ts'",
    )
    expect(judged(proven, { absent: [] })).toMatch(/^met/)
  })

  it('what the plan promises has to be there, or to have been deleted on purpose', () => {
    const absent = ['src/toggle.ts']
    expect(judged(done, { absent })).toBe("unmet: promised by the plan and not there: 'src/toggle.ts'")
    const branch = [{ path: 'src/toggle.ts', change: 'deleted', emptied: false } as const]
    expect(judged(done, { absent, branch })).toMatch(/^met/)
  })

  it('asks about paths, not about commands, names, addresses or kinds', () => {
    const report =
      '- [x] `src/a.ts:12` `b.test.js` `npm test` `user.name` `text/html` `https://a.b/c.html` `and/or` `../x.ts` `*.ts`\n'
    const facts = { ...nothingCollected, artifacts: { 'r.md': report }, plans: { plan } }
    expect(claimedPaths(facts, { checklist_done: 'plan' })).toEqual([
      ...['src/toggle.ts', 'test/toggle.test.ts', 'README.md', 'src/a.ts', 'b.test.js'],
    ])
  })

  it('a plan whose items have no boxes has items all the same; without a plan the report counts alone', () => {
    const plain = { plans: { plan: '## Completion Checklist\n- the toggle is there\n' } }
    expect(judged('- [x] something else', plain)).toMatch(/lacks: 'the toggle is there'/)
    expect(judged('- [x] something', { plans: {} })).toBe('met: 1 item ticked, 0 of them from the plan')
  })
})
