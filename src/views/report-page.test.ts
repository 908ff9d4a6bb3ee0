import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { foldRun } from '../model/fold-run.ts'
import { spendingOf } from '../model/usage.ts'
import { pageSteps } from './page-steps.ts'
import { reportPage } from './report-page.ts'
import { reportTables } from './report-tables.ts'
import { reportText } from './report-text.ts'

let second = 0
const line = (type: JournalLine['type'], data: JsonObject, role = 'ENGINE'): JournalLine => ({
  ts: new Date(Date.UTC(2026, 0, 1, 0, 0, (second += 1))).toISOString(),
  ...{ role, type, data },
})

const lines = [
  line('run.started', { run: '7', workflow: 'two', task: 'Add <b>bold</b> words', mode: '' }),
  line('branch.created', { branch: 'task/7-add', base: 'main', worktree: '/w' }),
  line('step.started', { step: 'write', visit: 1, kind: 'agent' }, 'WRITER'),
  line('agent.started', {
    step: 'write',
    call: 1,
    provider: 'p',
    model: 'm',
    prompt: { path: '/p', sha256: '' },
  }),
  line('agent.finished', { step: 'write', call: 1, end: 'exit 0', answer: { path: '/a', sha256: '' } }),
  line('commit.made', { step: 'write', commit: 'c0ffee', by: 'engine' }),
  line('gate.checked', { step: 'write', gate: 'tests_pass', met: false, facts: '1 failed' }),
  line('step.finished', { step: 'write', visit: 1, outcome: 'revise', label: 'tests_pass', reason: 'a | b' }),
  line('step.started', { step: 'write', visit: 2, kind: 'agent' }, 'WRITER'),
]

const source = {
  ...{ state: foldRun(lines), lines },
  texts: new Map([
    ['/p', 'the prompt </pre><img src=x>'],
    ['/a', 'the answer'],
  ]),
  diffs: new Map([['c0ffee', '+added\n-removed']]),
  tables: [
    {
      title: 'Cost',
      kind: 'counts' as const,
      note: '',
      header: ['role', 'tokens'],
      rows: [['WRITER', '12']],
    },
  ],
}

test('each visit of a step has its calls, evidence and commits', () => {
  expect(pageSteps(lines)).toMatchObject([
    {
      ...{ step: 'write', visit: 1, role: 'WRITER', outcome: 'revise', label: 'tests_pass' },
      calls: [{ call: 1, provider: 'p', model: 'm', prompt: '/p', answer: '/a', end: 'exit 0' }],
      facts: [{ name: 'tests_pass', met: false, text: '1 failed' }],
      commits: ['c0ffee'],
    },
    { step: 'write', visit: 2, outcome: '', calls: [] },
  ])
})

describe('the page', () => {
  const page = reportPage(source)

  test.each([
    ...['Timeline', 'Steps', 'Journal', 'Cost', 'write (round 2)', 'under way', 'the answer', 'not met'],
    ...['<span class="added">+added</span>', '<span class="removed">-removed</span>'],
  ])('shows %s', (text) => expect(page).toContain(text))

  test('takes nothing that was written by others as markup', () => {
    expect(page).toContain('Add &lt;b&gt;bold&lt;/b&gt; words')
    expect(page).toContain('the prompt &lt;/pre&gt;&lt;img src=x&gt;')
    expect(page).not.toContain('<img')
  })

  test('may load nothing and run nothing but its own script', () => {
    expect(page).toContain("default-src 'none'")
    expect(page.match(/\b(?:src|href)="(?!#)/g)).toBe(null)
  })
})

test('as Markdown, the same run is a table of steps with the evidence below it', () => {
  const text = reportText(source.state, source.tables)
  expect(text).toContain(
    '| write | WRITER | revise, tests_pass | 5s |\n| write (round 2) | WRITER | under way |  |',
  )
  expect(text).toContain('- write, tests_pass: **not met** (1 failed)')
  expect(text).toContain('## Cost\n\n| role | tokens |\n| --- | --- |\n| WRITER | 12 |')
})

describe('the tables of a report', () => {
  const decision = {
    at: '',
    step: 'write 1.1',
    tool: 'shell',
    what: 'git push',
    rule: 'git.push',
    reason: 'no',
  }
  const denied = { ...decision, allow: false }
  const allowed = { ...decision, allow: true, what: 'ls', rule: '', reason: '' }

  test('say what each role has used, and what the tool did not say', () => {
    const started = { step: 'write', call: 1, provider: 'p', model: 'm' }
    const spent = spendingOf([
      line('agent.started', started, 'WRITER'),
      line('agent.finished', { ...started, end: 'exit 0', usage: { input: 1200, output: 30 } }, 'WRITER'),
    ])
    expect(reportTables(spent, [])[0]).toMatchObject({
      title: 'Cost by role',
      note: expect.stringContaining('the tool did not say') as string,
      rows: [
        ['WRITER', '1', '1,200', '?', '30', '?'],
        ['all', '1', '1,200', '?', '30', '?'],
      ],
    })
  })

  test('have what was denied first, with its rule and reason', () => {
    expect(reportTables([], [allowed, denied])[1]).toMatchObject({
      title: 'Firewall decisions',
      note: '2 asked, 1 denied.',
      rows: [
        ['denied', 'write 1.1', 'shell', 'git push', 'git.push', 'no'],
        ['allowed', 'write 1.1', 'shell', 'ls', '', ''],
      ],
    })
  })

  test('say so where no agent was started and no tool has asked', () => {
    const text = reportText(source.state, reportTables([], []))
    expect(text).toContain('## Cost by role\n\nNo agent was started.\n')
    expect(text).toContain('## Firewall decisions\n\nNo tool of an agent has asked.\n')
  })
})
