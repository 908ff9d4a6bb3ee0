import { describe, expect, it } from 'vitest'
import { isJournalLine } from './event.ts'
import { exitCodes, FailureError } from './failure.ts'
import { isOutcome, outcomes } from './outcome.ts'
import { workflowFileSchema } from './workflow-file.ts'

const small = { name: 'small', steps: [{ id: 'write', agent: 'writer' }] }

function accepts(more: object): boolean {
  return workflowFileSchema.safeParse({ ...small, ...more }).success
}

function acceptsStep(more: object): boolean {
  return accepts({ steps: [{ ...small.steps[0], ...more }] })
}

describe('a workflow file', () => {
  it('needs a name and a step, nothing else (R001-134)', () => {
    expect(accepts({})).toBe(true)
    expect(workflowFileSchema.safeParse({ name: 'a' }).success).toBe(false)
    expect(accepts({ steps: [] })).toBe(false)
  })

  it('refuses unknown keys, at every depth', () => {
    expect(accepts({ stepz: [] })).toBe(false)
    expect(acceptsStep({ limitt: 1 })).toBe(false)
    expect(acceptsStep({ on: { ok: { to: 'end', limitt: 1 } } })).toBe(false)
    expect(accepts({ roles: { writer: { modell: 'x' } } })).toBe(false)
    expect(accepts({ budget: { tim: '1h' } })).toBe(false)
  })

  it('takes a route as a word or with its keys, `then` being a route again', () => {
    expect(acceptsStep({ on: { ok: 'end' } })).toBe(true)
    expect(
      acceptsStep({ on: { revise: { to: 'a', limit: 1, then: { to: 'b', limit: '{n}', then: 'ask' } } } }),
    ).toBe(true)
    expect(acceptsStep({ on: { failed: { call: 'fix', limit: 1, max_depth: 3, then: 'fail' } } })).toBe(true)
    expect(acceptsStep({ on: { revise: { to: 'a', once: true, then: 'REJECT' } } })).toBe(true)
  })

  it('takes limits as whole numbers or one variable', () => {
    const limit = (value: unknown): boolean =>
      acceptsStep({ on: { revise: { to: 'a', limit: value, then: 'ask' } } })
    expect([0, 3, '{most}', '{plan.n}'].map(limit)).toEqual([true, true, true, true])
    expect([-1, 1.5, '3', '{a}{b}', 'many'].map(limit)).toEqual([false, false, false, false, false])
  })

  it('takes times as a duration, a share or even', () => {
    const time = (value: unknown): boolean => acceptsStep({ budget: { time: value } })
    expect(['90s', '1h30m', '{limit}', 0.3, 1, 'even'].map(time)).toEqual(
      Array.from({ length: 6 }, () => true),
    )
    expect(['soon', 0, 1.1, 90].map(time)).toEqual([false, false, false, false])
  })

  it('knows the outcomes that verdict words may stand for (C-77)', () => {
    const verdicts = (outcome: string): boolean =>
      accepts({ roles: { r: { verdicts: { verdict: { X: outcome } } } } })
    expect(outcomes.map(verdicts)).toEqual(outcomes.map(() => true))
    expect(verdicts('approved')).toBe(false)
    expect([isOutcome('ok'), isOutcome('APPROVE')]).toEqual([true, false])
  })

  it('takes what is written to a path, or to a path with the answer filed there', () => {
    expect(acceptsStep({ writes: 'a.md' })).toBe(true)
    expect(acceptsStep({ writes: [{ path: 'a.md', or: 'answer' }, 'b.md'] })).toBe(true)
    expect(acceptsStep({ writes: { path: 'a.md', or: 'nothing' } })).toBe(false)
  })

  it('takes names of events that are none of ours, and data without our key', () => {
    expect(acceptsStep({ emits: { ok: 'patch', start: { type: 'plan', data: { tasks: [] } } } })).toBe(true)
    expect(acceptsStep({ emits: { ok: 'said' } })).toBe(false)
    expect(acceptsStep({ emits: { ok: { type: 'checkpoint' } } })).toBe(false)
    expect(acceptsStep({ emits: { ok: { type: 'plan', data: { key: 'a' } } } })).toBe(false)
  })
})

describe('a line of the journal', () => {
  it('has four keys and no other (R003-79)', () => {
    const line = { ts: 't', role: 'r', type: 'said', data: { a: 1 } }
    expect(isJournalLine(line)).toBe(true)
    expect(isJournalLine({ ...line, more: 1 })).toBe(false)
    expect(isJournalLine({ ...line, data: [] })).toBe(false)
    expect(isJournalLine({ ...line, type: 'plan' })).toBe(true)
    expect(isJournalLine({ ...line, type: 'other.kind' })).toBe(false)
  })
})

describe('a failure', () => {
  it('has a code, what happened, what to do next, and is the user’s mistake unless it says otherwise', () => {
    const cause = new Error('below')
    const failure = new FailureError({ code: 'a.b', message: 'What.', next: 'Do.', cause })
    expect(failure).toMatchObject({
      code: 'a.b',
      message: 'What.',
      next: 'Do.',
      exitCode: exitCodes.usage,
      cause,
    })
    expect(new FailureError({ code: 'a.b', message: '', next: '', exitCode: 5 }).exitCode).toBe(5)
  })
})
