// Two small projects and what the four roles of a change do in them.
import { stringify } from 'yaml'
import { makeRepository } from './git.ts'

export const nodeFiles = {
  'package.json':
    '{ "name": "shop", "type": "module", "scripts": { "test": "node --test", "lint": "node lint.js" } }\n',
  'lint.js': `import { readFileSync } from 'node:fs'
const bad = /var /.test(readFileSync('src/total.js', 'utf8'))
console.log(bad ? 'src/total.js: LINT-COMPLAINT no var' : 'LINT-CONTENT')
process.exit(bad ? 1 : 0)
`,
  'src/total.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n',
  'test/total.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { total } from '../src/total.js'
test('adds', () => assert.equal(total([1, 2]), 3))
`,
}

export const pythonFiles = {
  'pyproject.toml': '[project]\nname = "shop"\nversion = "0.1.0"\n',
  'total.py': 'def total(prices):\n    return sum(prices)\n',
  'test_total.py': `import unittest
from total import total


class Total(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(total([1, 2]), 3)
`,
  '.baton/config.yaml': 'checks:\n  tests: { command: [python3, -m, unittest, -v] }\n',
}

export function makeNodeProject(): Promise<string> {
  return makeRepository(nodeFiles)
}

export function makePythonProject(): Promise<string> {
  return makeRepository(pythonFiles)
}

export const tasks = `# Tasks

## 1. Rounding

- [ ] 1.1 Add a function that rounds
- [ ] 1.2 Round the total
`

export const documents = {
  'changes/round-total/proposal.md': '# Round the total\n\nPrices have two decimals.\n',
  'changes/round-total/specs/rounding.md':
    '# Rounding\n\nWHEN 0.1 and 0.2 are added THEN the total is 0.3.\n',
  'changes/round-total/tasks.md': tasks,
}

const finding = (about: string) => [{ id: 'F1', severity: 'major', about }]
const settled = [{ id: 'F1', about: 'dealt with', status: 'resolved' }]

interface Work {
  readonly first: Readonly<Record<string, string>>
  readonly second: Readonly<Record<string, string>>
  readonly fixed: Readonly<Record<string, string>>
}

export const nodeWork: Work = {
  first: { 'src/round.js': 'export const round = (value) => Math.round(value * 100) / 100\n' },
  second: {
    'src/total.js': `import { round } from './round.js'
export const total = (prices) => { var all = prices.reduce((sum, price) => sum + price, 0); return round(all) }
`,
  },
  fixed: {
    'src/total.js': `import { round } from './round.js'
export const total = (prices) => round(prices.reduce((sum, price) => sum + price, 0))
`,
  },
}

export const pythonWork: Work = {
  first: { 'rounding.py': 'def to_cents(value):\n    return round(value, 2)\n' },
  second: {
    'total.py': 'from rounding import to_cents\n\n\ndef total(prices):\n    return to_cents(sum(prices))\n',
  },
  fixed: {
    'total.py':
      'from rounding import to_cents\n\n\ndef total(prices) -> float:\n    return to_cents(sum(prices))\n',
  },
}

/** From nothing to archived, with one NEEDS_REVISION and one NEEDS_CHANGES on the way. */
export function changeScript({ first, second, fixed }: Work, expected: readonly string[] = []): string {
  const done = { answer: { status: 'success' } }
  return stringify({
    roles: {
      proposer: [
        {
          expects: ['round-total'],
          writes: documents,
          prints: 'Reading the code',
          answer: { summary: 'Round the total.' },
        },
        {
          expects: ['Say which way .5 is rounded.'],
          edits: [
            {
              file: 'changes/round-total/proposal.md',
              replace: 'two decimals.',
              with: 'two decimals; .5 is rounded up.',
            },
          ],
          answer: { summary: 'Round the total, .5 up.' },
        },
      ],
      challenger: [
        {
          answer: {
            verdict: 'NEEDS_REVISION',
            feedback: 'F1 (major): Say which way .5 is rounded.',
            findings: finding('The rounding of .5 is said.'),
          },
        },
        { expects: ['CHALLENGE.md'], answer: { verdict: 'APPROVED', findings: settled } },
      ],
      reviewer: [
        {
          expects: ['<<<TOOLS', ...expected],
          answer: {
            verdict: 'NEEDS_CHANGES',
            feedback: 'F1 (major): src: no var, please.',
            findings: finding('There is no var.'),
          },
        },
        { expects: ['REVIEW.md', 'round 2'], answer: { verdict: 'APPROVED', findings: settled } },
      ],
    },
    steps: {
      implement_task: [
        { when: { 'item.id': '1.1' }, expects: ['"id": "1.1"', 'specs/rounding.md'], writes: first, ...done },
        { when: { 'item.id': '1.2' }, expects: ['"id": "1.2"'], writes: second, ...done },
      ],
      fix: [
        {
          expects: ['no var, please'],
          writes: fixed,
          answer: { status: 'success', findings: [{ id: 'F1', status: 'fixed' }] },
        },
      ],
    },
  })
}
