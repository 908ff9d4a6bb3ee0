import { array, assert, constantFrom, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentErrors } from '../model/agent.ts'
import type { AgentError } from '../model/agent.ts'
import { nextCall } from './next-call.ts'
import type { CallResult } from './next-call.ts'

const role = { repair: 2, retry: { maxAttempts: 3, delayMs: 5000, backoff: 2 } }
const facts = { tree: 't', tip: 'c', changed: 1, written: [] }
const answered: CallResult = { type: 'answered', answer: { verdict: 'PASS' }, facts }
const invalid: CallResult = { type: 'invalid', problem: 'no JSON' }

function error(kind: AgentError): CallResult {
  return { type: 'error', error: kind, detail: `agent: ${kind}` }
}

describe('after the calls so far', () => {
  it('an answer is used', () => {
    expect(nextCall([invalid, answered], role)).toEqual({ type: 'done', result: answered })
  })

  it('an invalid answer is quoted back, twice, then it is a failure (C-08, R000-82, R001-131)', () => {
    expect(nextCall([invalid], role)).toEqual({ type: 'repair', problem: 'no JSON' })
    expect(nextCall([invalid, invalid], role)).toEqual({ type: 'repair', problem: 'no JSON' })
    expect(nextCall([invalid, invalid, invalid], role)).toEqual({
      ...{ type: 'give_up', outcome: 'failed', label: 'invalid' },
      reason: 'no valid answer after 3 calls: no JSON',
    })
  })

  it('an accident is tried again later, each time later, three times at most (C-86, R004-148)', () => {
    const crash = error('crash')
    expect(nextCall([crash], role)).toEqual({
      ...{ type: 'retry', afterMs: 5000, error: 'crash', detail: 'agent: crash' },
    })
    expect(nextCall([crash, crash], role)).toEqual({
      ...{ type: 'retry', afterMs: 10_000, error: 'crash', detail: 'agent: crash' },
    })
    expect(nextCall([crash, crash, crash], role)).toEqual({
      ...{ type: 'give_up', outcome: 'failed', label: 'crash', reason: 'agent: crash (3 times)' },
    })
  })

  it('timeouts and silence are accidents too (R001-129, R001-130, R001-132)', () => {
    for (const kind of ['timeout', 'idle'] as const) {
      expect(nextCall([error(kind)], role)).toMatchObject({ type: 'retry', error: kind })
    }
  })

  it('a missing command and a step out of time are not tried again', () => {
    for (const kind of ['not_found', 'time'] as const) {
      expect(nextCall([error(kind)], role)).toMatchObject({
        type: 'give_up',
        label: kind,
        reason: `agent: ${kind}`,
      })
    }
  })

  it('a wrong key, a prompt that is too long and a refusal are not tried again', () => {
    for (const kind of ['auth', 'context', 'refused'] as const)
      expect(nextCall([error(kind)], role)).toMatchObject({ type: 'give_up', label: kind })
  })

  it('an overloaded service and a stream that breaks off are tried again later', () => {
    for (const kind of ['overloaded', 'protocol'] as const)
      expect(nextCall([error(kind)], role)).toMatchObject({ type: 'retry', error: kind, afterMs: 5000 })
  })

  it('a quota that is used up is no attempt: the provider is left alone until its time', () => {
    const quota: CallResult = {
      ...{ type: 'error', error: 'quota', detail: 'no more today', resetsAt: 5000 },
      by: { provider: 'alpha' },
    }
    const found = { type: 'quota', provider: 'alpha', detail: 'no more today', resetsAt: 5000 }
    expect(nextCall([quota, quota, quota, quota], role)).toEqual(found)
    expect(nextCall([quota, quota, error('crash')], role)).toMatchObject({ type: 'retry', afterMs: 5000 })
  })

  it('repairs and retries are counted apart', () => {
    const mixed = [error('crash'), invalid, error('crash'), invalid]
    expect(nextCall(mixed, role)).toEqual({ type: 'repair', problem: 'no JSON' })
  })

  it('a change outside of the scope is a failure at once, with what was kept (C-90)', () => {
    const paths = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    expect(nextCall([{ type: 'out_of_scope', paths, snapshot: 'refs/baton/1/3' }], role)).toEqual({
      ...{ type: 'give_up', outcome: 'failed', label: 'scope' },
      gate: {
        ...{ gate: 'within_scope', met: false },
        facts: "changed what it may not change: 'a', 'b', 'c', 'd', 'e', 'f', 'g'",
      },
      reason:
        "changed what it may not change: 'a', 'b', 'c', 'd', 'e' and 2 more; undone, kept as refs/baton/1/3",
    })
  })

  it('a role without repairs or retries gives up at the first', () => {
    const strict = { repair: 0, retry: { maxAttempts: 1, delayMs: 0, backoff: 1 } }
    expect(nextCall([invalid], strict)).toMatchObject({ type: 'give_up' })
    expect(nextCall([error('crash')], strict)).toMatchObject({ type: 'give_up', reason: 'agent: crash' })
  })

  it('there is an end, whatever the agent does', () => {
    const results = constantFrom<CallResult>(invalid, ...agentErrors.map(error))
    const repair = integer({ min: 0, max: 10 })
    const maxAttempts = integer({ min: 1, max: 20 })
    assert(
      property(
        array(results, { minLength: 60, maxLength: 60 }),
        repair,
        maxAttempts,
        (all, repairs, attempts) => {
          const strictness = { repair: repairs, retry: { maxAttempts: attempts, delayMs: 1, backoff: 1 } }
          const calls =
            all.findIndex((_, index) => nextCall(all.slice(0, index + 1), strictness).type === 'give_up') + 1
          expect(calls).toBeGreaterThan(0)
          expect(calls).toBeLessThanOrEqual(repairs + attempts + 1 + 10)
        },
      ),
    )
  })
})
