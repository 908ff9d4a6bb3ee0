import { describe, expect, it } from 'vitest'
import { reviewing, roleOf } from '../../test/support/workflow-values.ts'
import type { Json } from '../model/json.ts'
import type { Role } from '../model/workflow.ts'
import { answerValidator, verdictOf } from './validate-answer.ts'

const reviewer = roleOf('reviewer', reviewing)
const writer = roleOf('writer')

const schema = {
  type: 'object',
  required: ['verdict'],
  additionalProperties: false,
  properties: {
    verdict: { enum: ['APPROVE', 'REJECT', 'ESCALATE'] },
    feedback: { type: 'string', minLength: 1 },
    issues: {
      type: 'array',
      items: { type: 'object', required: ['line'], properties: { line: { type: 'integer' } } },
    },
    backlog_items: {},
  },
}

async function problems(value: Json, role: Role = reviewer): Promise<readonly string[]> {
  return (await answerValidator(role, schema))(value)
}

async function problemsWithoutSchema(value: Json, role: Role): Promise<readonly string[]> {
  return (await answerValidator(role, undefined))(value)
}

describe('an answer', () => {
  it('that fits has no problems (R000-35)', async () => {
    expect(await problems({ verdict: 'APPROVE' })).toEqual([])
    expect(await problems({ verdict: 'REJECT', feedback: 'no tests' })).toEqual([])
  })

  it('that does not fit is answered with sentences that name the place', async () => {
    expect(await problems({})).toEqual(["the answer: 'verdict' is missing"])
    expect(await problems({ verdict: 'MAYBE' })).toEqual([
      'verdict: must be one of APPROVE, REJECT, ESCALATE',
    ])
    expect(await problems({ verdict: 'APPROVE', extra: 1 })).toEqual(["the answer: unknown key 'extra'"])
    expect(await problems({ verdict: 'APPROVE', issues: [{}, { line: 'x' }] })).toEqual([
      "issues.0: 'line' is missing",
      'issues.1.line: must be integer',
    ])
    expect(await problems('APPROVE')).toEqual(['the answer: must be object'])
  })

  it('is told of all its problems at once', async () => {
    expect(await problems({ feedback: '', extra: 1 })).toHaveLength(3)
  })

  it('needs one of its role’s verdict words also without a schema (C-77)', async () => {
    expect(await problemsWithoutSchema({ verdict: 'approve' }, reviewer)).toEqual([
      "verdict: 'approve' is not one of APPROVE, REJECT, ESCALATE",
    ])
    expect(await problemsWithoutSchema({}, reviewer)).toEqual(["'verdict' is missing"])
  })

  it('may leave out a verdict where the role has several fields, or none', async () => {
    const two = roleOf('coder', { verdicts: { status: { done: 'ok' }, error: { fatal: 'failed' } } })
    expect(await problemsWithoutSchema({}, two)).toEqual([])
    expect(await problemsWithoutSchema({ anything: 1 }, writer)).toEqual([])
  })

  it('has backlog items that are sentences, if it has any (R001-126)', async () => {
    const wrong = 'backlog_items: must be a list of sentences'
    expect(await problemsWithoutSchema({ backlog_items: ['Idea'] }, writer)).toEqual([])
    expect(await problemsWithoutSchema({ backlog_items: 'Idea' }, writer)).toEqual([wrong])
    expect(await problemsWithoutSchema({ backlog_items: [''] }, writer)).toEqual([wrong])
  })
})

describe('a verdict', () => {
  it('is the outcome of the word, with the word as label (C-77)', () => {
    expect(verdictOf(reviewer, { verdict: 'APPROVE' })).toEqual({ outcome: 'ok', label: 'APPROVE' })
    expect(verdictOf(reviewer, { verdict: 'ESCALATE' })).toEqual({ outcome: 'escalate', label: 'ESCALATE' })
  })

  it('may be a boolean (003: passed)', () => {
    const tester = roleOf('tester', { verdicts: { passed: { true: 'ok', false: 'failed' } } })
    expect(verdictOf(tester, { passed: false })).toEqual({ outcome: 'failed', label: 'false' })
  })

  it('is decided by the first field that is present; none means ok', () => {
    const role = roleOf('coder', { verdicts: { error: { fatal: 'failed' }, status: { done: 'ok' } } })
    expect(verdictOf(role, { status: 'done', error: 'fatal' })).toEqual({ outcome: 'failed', label: 'fatal' })
    expect(verdictOf(role, { status: 'done' })).toEqual({ outcome: 'ok', label: 'done' })
    expect(verdictOf(role, {})).toEqual({ outcome: 'ok' })
  })
})
