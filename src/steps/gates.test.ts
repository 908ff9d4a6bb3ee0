import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import { gateNames, judgeGates, needsOf, planParts } from './gates.ts'
import type { GateFacts } from './gates.ts'

const commit = { id: '7f3a2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a', parents: [] }
const facts: GateFacts = { answer: {}, commits: [], artifacts: {}, markers: [], changes: 1, byHand: false }

function judge(name: string, more: Partial<GateFacts> = {}, parameters: JsonObject = {}): string {
  const [report] = judgeGates([{ name, parameters }], { ...facts, ...more })
  return `${report?.met === true ? 'met' : 'unmet'}: ${report?.facts}`
}

const plan = planParts.map((part) => `## ${part}\n\nText.\n`).join('\n')

describe('commit_is_new', () => {
  it('needs a commit that was made in this step (C-22)', () => {
    expect(judge('commit_is_new')).toBe('unmet: no commit was made in this step')
    expect(judge('commit_is_new', { commits: [commit] })).toBe('met: 1 new on the task branch')
  })

  it('needs one that changes something', () => {
    expect(judge('commit_is_new', { commits: [commit], changes: 0 })).toMatch(/^unmet/)
  })

  it('a claimed hash must be one of them, whole or short, in any case (R001-116, C-22)', () => {
    const claim = (hash: string): string =>
      judge('commit_is_new', { commits: [commit], answer: { commit_hash: hash } })
    expect(claim('7f3a2b1')).toBe('met: 7f3a2b1c9d8e is on the task branch and was made in this step')
    expect(claim('7F3A2B1C')).toMatch(/^met/)
    expect(claim('abc1234')).toBe('unmet: commit abc1234 is not among the 1 commits made in this step')
  })

  it('an empty claim, or one that is no hash, is a wrong claim', () => {
    for (const hash of ['', '7', 'success', 'HEAD']) {
      expect(judge('commit_is_new', { commits: [commit], answer: { commit_hash: hash } })).toMatch(/^unmet/)
    }
  })
})

describe('tests_pass', () => {
  const ran = { type: 'ran', command: 'npm test', exitCode: 0, log: 'l.txt', tail: '1 failed' } as const

  it('counts only what the engine ran itself (C-63)', () => {
    expect(judge('tests_pass', { answer: { tests_passed: true } })).toBe('unmet: the tests were not run')
    expect(judge('tests_pass', { tests: ran })).toBe("met: 'npm test' exit code 0")
  })

  it('says what was run, how it ended, and where to read on', () => {
    expect(judge('tests_pass', { tests: { ...ran, exitCode: 1 } })).toBe(
      "unmet: 'npm test' exit code 1, log: l.txt\n1 failed",
    )
    expect(judge('tests_pass', { tests: { type: 'not_run', reason: 'no test command' } })).toBe(
      'unmet: no test command',
    )
  })
})

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

describe('score', () => {
  it('is at least what the gate asks for (C-89)', () => {
    expect(judge('score', { answer: { score: 70 } }, { score: 70 })).toBe('met: score 70 of at least 70')
    expect(judge('score', { answer: { score: 69 } }, { score: 70 })).toBe(
      'unmet: score 69, at least 70 is needed',
    )
  })

  it('must be given, unless the gate says if_present', () => {
    expect(judge('score', {}, { score: 70 })).toBe('unmet: the answer has no score')
    expect(judge('score', {}, { score: 70, if_present: true })).toBe('met: no score was given')
    expect(judge('score', { answer: { score: '90' } }, { score: 70 })).toMatch(/^unmet/)
  })
})

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

describe('gates', () => {
  it('are judged all, in the order of the workflow', () => {
    const specs = [
      { name: 'tests_pass', parameters: {} },
      { name: 'commit_is_new', parameters: {} },
    ]
    expect(judgeGates(specs, facts).map(({ gate }) => gate)).toEqual(['tests_pass', 'commit_is_new'])
  })

  it('tell which facts they need, so that no others are gathered', () => {
    const needs = (name: string): string[] => [...needsOf([{ name, parameters: {} }])]
    expect(needs('score')).toEqual([])
    expect(needs('tests_pass')).toEqual(['tests'])
    expect(needs('plan_has_parts')).toEqual(['artifacts'])
  })

  it('have names that the loader knows; another is a bug', () => {
    expect(gateNames).toContain('tests_pass')
    expect(() => judgeGates([{ name: 'nothing', parameters: {} }], facts)).toThrow("no gate 'nothing'")
  })

  it('a commit is not asked of the agent where a person has mended it by hand', () => {
    expect(judge('commit_is_new', { byHand: true })).toBe('met: changes made by hand were taken over')
    expect(judge('commit_is_new', { byHand: false })).toMatch(/^unmet/)
  })
})
