import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { foldRun } from '../model/fold-run.ts'
import { pageSteps } from './page-steps.ts'
import { reportPage } from './report-page.ts'
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
  tables: [{ title: 'Cost', header: ['role', 'tokens'], rows: [['WRITER', '12']] }],
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
