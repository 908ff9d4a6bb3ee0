import { describe, expect, it } from 'vitest'
import { roleOf } from '../../test/support/workflow-values.ts'
import { buildPrompt, inputsOf, repairPrompt } from './build-prompt.ts'
import type { PromptParts } from './build-prompt.ts'

const parts: PromptParts = {
  ...{ role: roleOf('developer', { title: 'DEVELOPER' }), base: 'Write the code.\n', task: 'Add search.\n' },
  ...{ facts: [], feedback: [], inputs: [], with: {}, writes: [], mayWrite: [] },
}

function sectionOf(prompt: string, name: string): string {
  return new RegExp(`^${name}:\\n([\\s\\S]*?)(?=\\n\\n[A-Z]+:\\n|$(?![\\s\\S]))`, 'm').exec(prompt)?.[1] ?? ''
}

describe('a prompt', () => {
  it('is base prompt, task, inputs and output instructions, in this order (R000-27, R000-28)', () => {
    const prompt = buildPrompt({
      ...parts,
      inputs: [{ type: 'path', name: 'plan', path: 'docs/plan.md', note: '' }],
    })
    const places = ['CONTEXT:', 'TASK:', 'INPUT:', 'FORMAT:'].map((label) => prompt.indexOf(`${label}\n`))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(prompt).toContain('CONTEXT:\nYou are the DEVELOPER.\n\nWrite the code.')
    expect(prompt.endsWith('\n')).toBe(true)
  })

  it('puts the system text before everything (R000-22)', () => {
    const prompt = buildPrompt({ ...parts, system: 'You are a rigid worker. Output JSON only.\n' })
    expect(prompt.startsWith('You are a rigid worker. Output JSON only.\n\nCONTEXT:')).toBe(true)
  })

  it('marks the task as what was asked for, so that it changes no rule', () => {
    const task = sectionOf(buildPrompt({ ...parts, facts: ['On branch x.'] }), 'TASK')
    expect(task).toContain('<<<TASK\nAdd search.\nTASK>>>')
    expect(task).toContain('\n- On branch x.')
  })

  it('hands inputs over by path, not by content (R000-29, R001-07, R001-08)', () => {
    const prompt = buildPrompt({
      ...parts,
      inputs: [
        { type: 'path', name: 'plan', path: 'docs/plan.md', note: '' },
        { type: 'path', name: 'review', path: 'docs/review_v1.md', note: 'earlier' },
        { type: 'value', name: 'test', value: { exit_code: 1 } },
      ],
      with: { goal: 'search', n: 1 },
    })
    expect(sectionOf(prompt, 'INPUT')).toBe(
      [
        ...["- plan: read 'docs/plan.md'", "- review: read 'docs/review_v1.md' (earlier)"],
        ...['- test: {"exit_code":1}', '', '{\n  "goal": "search",\n  "n": 1\n}'],
      ].join('\n'),
    )
  })

  it('says so where there is nothing to read', () => {
    expect(sectionOf(buildPrompt(parts), 'INPUT')).toBe('Nothing but the task and the repository.')
  })

  it('carries the feedback of the last round, with the files it is in (R000-64, R000-75)', () => {
    const feedback = [
      { from: 'review', text: 'no tests\n', paths: ['review_v1.md'] },
      { from: 'person', text: ' ', paths: [] },
    ]
    const task = sectionOf(buildPrompt({ ...parts, feedback }), 'TASK')
    expect(task).toContain(
      "What 'review' said about the last one:\n<<<FEEDBACK\nno tests\nFEEDBACK>>>\nThe whole of it is in 'review_v1.md'.",
    )
    expect(task).toContain('<<<FEEDBACK\n(see the files)\nFEEDBACK>>>')
  })

  it('asks for JSON at the end, or for nothing but JSON (R000-30, R003-16, C-03)', () => {
    expect(buildPrompt(parts)).toContain('End your response with one JSON object')
    const only = buildPrompt({ ...parts, role: roleOf('coder', { answer: 'json_only' }) })
    expect(only).toContain('Your whole response is one JSON object')
    expect(only).not.toContain('End your response')
  })

  it('shows the schema once and its examples one to a line, all valid JSON (C-04)', () => {
    const schema = { $schema: 'x', type: 'object', examples: [{ verdict: 'APPROVE' }, { verdict: 'REJECT' }] }
    const format = sectionOf(buildPrompt({ ...parts, schema }), 'FORMAT')
    expect(format).toContain('```\n{\n  "type": "object"\n}\n```')
    expect(format).toContain('For example:\n{"verdict":"APPROVE"}\n{"verdict":"REJECT"}')
  })

  it('names the files that must be written, and those that are filed where none is', () => {
    const writes = [
      { path: 'plan.md', orAnswer: false },
      { path: 'review.md', orAnswer: true },
    ]
    const format = sectionOf(buildPrompt({ ...parts, writes }), 'FORMAT')
    expect(format).toContain("Write the file 'plan.md' in this step.")
    expect(format).toContain("Write your report to 'review.md' (if you write none")
    expect(format).toContain("a change outside 'plan.md', 'review.md' is undone")
  })

  it('tells the scope of the role (C-90), and nothing where there is none', () => {
    expect(buildPrompt({ ...parts, mayWrite: ['docs/reviews/'] })).toContain(
      "a change outside 'docs/reviews/'",
    )
    expect(buildPrompt(parts)).toContain('Change no file in the worktree')
    const free = buildPrompt({ ...parts, mayWrite: ['**'] })
    expect(free).not.toMatch(/Change no/)
  })

  it('offers the backlog to every role (R001-124, R001-125)', () => {
    expect(buildPrompt(parts)).toContain('"backlog_items": ["..."]')
  })

  it('quotes back what was wrong with an answer, after the same prompt (C-08)', () => {
    const prompt = buildPrompt(parts)
    const repaired = repairPrompt(prompt, "verdict: 'MAYBE' is not one of APPROVE, REJECT")
    expect(repaired.startsWith(prompt)).toBe(true)
    expect(repaired).toContain("NOT ACCEPTED:\nverdict: 'MAYBE' is not one of APPROVE, REJECT\n")
  })
})

describe('what a step reads, as inputs of its prompt', () => {
  it('each path by itself, earlier findings marked, built-in ones where they exist', () => {
    const diff = { type: 'path', name: 'diff', path: '.baton/diff', note: 'since the base' } as const
    const inputs = inputsOf(
      [
        { type: 'artifact', name: 'plan', paths: ['a.md', 'b.md'], earlier: false },
        { type: 'artifact', name: 'review', paths: ['r1.md'], earlier: true },
        { type: 'answer', name: 'test', value: { ok: true } },
        { type: 'diff' },
        { type: 'conflicts' },
      ],
      { diff },
    )
    expect(inputs).toEqual([
      { type: 'path', name: 'plan', path: 'a.md', note: '' },
      { type: 'path', name: 'plan', path: 'b.md', note: '' },
      {
        type: 'path',
        name: 'review',
        path: 'r1.md',
        note: expect.stringContaining('earlier round') as string,
      },
      { type: 'value', name: 'test', value: { ok: true } },
      diff,
    ])
  })
})
