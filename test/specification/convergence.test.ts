import { describe, expect, it } from 'vitest'
import { developed, playPipeline } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const unquoted = { id: 'F1', severity: 'major', place: 'src/app.txt:1', about: 'The toggle has no label.' }

function audit(verdict: 'PASS' | 'FAIL', ...findings: readonly Entry[]): Entry {
  return {
    writes: { '{writes}': `${verdict}\n` },
    answer: { verdict, review_path: '{writes}', ...(findings.length === 0 ? {} : { findings }) },
  }
}

const marksFixed: Entry = {
  ...developed,
  answer: { status: 'success', commit_hash: '{commit}', findings: [{ id: 'F1', status: 'fixed' }] },
}

describe.concurrent('a loop that does not converge', () => {
  it('goes back to the plan, once, when the audit finds again what was marked as fixed', async () => {
    const run = await playPipeline({
      roles: {
        developer: [developed, marksFixed, developed],
        auditor: [audit('FAIL', unquoted), audit('FAIL', unquoted), audit('PASS')],
      },
    })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(), ...steps.planApproved()],
      ...[...steps.code(1), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...[...steps.code(2), ...steps.auditFails(2), 'finding F1 repeated: marked'],
      'route code_review -> plan (1 of 1)',
      ...[...steps.plan(2), ...steps.planApproved(2)],
      ...[...steps.code(3), ...steps.auditPasses(3), ...steps.integration()],
    ])
    const architect = await run.prompt('plan#2')
    expect(architect).toContain(
      'Found again though F1 of round 1 was marked as dealt with: F1 The toggle has no label.',
    )
    expect(architect).toContain(steps.paths.codeReview(2))
  })

  it('asks a person when a plan is rejected for the same thing in another place', async () => {
    const rejects = (place: string): Entry => ({
      answer: {
        verdict: 'REJECT',
        feedback: 'See the findings.',
        findings: [{ id: 'F1', about: 'The expected value contradicts the rule.', place }],
      },
    })
    const run = await playPipeline({
      roles: { plan_reviewer: [rejects('Test Scenarios'), rejects('Detailed Logic')] },
    })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(), ...steps.planRejected(1)],
      'route plan_review -> plan (1 of 3)',
      ...[...steps.plan(2), ...steps.planRejected(2), 'finding F1 repeated: elsewhere'],
      ...steps.asks('plan_review'),
    ])
    expect(run.state.question).toContain('The same as F1 of round 1 (Test Scenarios), now in another place')
  })

  it('recognises findings that stand only in the reports: after the plan they come back a second time, and a person is asked', async () => {
    const report: Entry = {
      writes: { '{writes}': '## Findings\n- F1 (major), src/app.txt:1: the toggle has no label\n' },
      answer: { verdict: 'FAIL', review_path: '{writes}' },
    }
    const run = await playPipeline({ roles: { auditor: [report] } })
    const round = (n: number) => [...steps.code(n), ...steps.auditFails(n)]
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(), ...steps.planApproved()],
      ...[...round(1), 'route code_review -> code (1 of 3)'],
      ...[...round(2), 'route code_review -> code (2 of 3)'],
      ...[...round(3), 'finding F1 repeated: laps', 'route code_review -> plan (1 of 1)'],
      ...[...steps.plan(2), ...steps.planApproved(2)],
      ...[...round(4), 'finding F1 repeated: laps', ...steps.asks('code_review')],
    ])
    expect(run.end).toMatchObject({ type: 'waiting', exitCode: 3 })
  })
})
