// The routes after the analysis, in the two modes that begin with one: whoever comes from a report takes the same ways
// as whoever begins with the plan, for which test/specification tells them one by one. Each story is a whole run.
import { describe, expect, it } from 'vitest'
import { commits, goodPlan, planned, playPipeline, resolved } from '../support/pipeline.ts'
import type { Entry, PipelinePlay } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const analysed = {
  bugfix: [...steps.begin('bugfix'), ...steps.investigate(), ...steps.analystApproves()],
  research: [...steps.begin('research'), ...steps.research(), ...steps.analystApproves()],
}

interface Story {
  readonly title: string
  readonly play: PipelinePlay
  /** What comes after the approved report. */
  readonly lines: readonly string[]
}

const elsewhere = { 'src/other.txt': 'something else\n' }
const sameLines = { 'src/app.txt': 'light mode, but nicer\n' }

const answers = (answer: Entry): Entry => ({ answer })
const reject = answers({ verdict: 'REJECT', feedback: 'Say what unchecked means.' })
const scored = (score: number): Entry => answers({ verdict: 'APPROVE', score })
const incomplete = planned(goodPlan.replace('## Test Scenarios\n', ''))
const broken = (n: number): Entry => commits({ 'src/app.txt': `BROKEN ${n}\n` }, 'feat: broken')
const fails = (about: string): Entry => ({
  writes: { '{writes}': `F1 (major), src/app.txt:1: ${about}\n` },
  answer: { verdict: 'FAIL', review_path: '{writes}' },
})
const faults = ['no test', 'names that mislead', 'an error is swallowed', 'the documentation is missing']
const lost = 'Light mode is lost.'
const mergeFails = answers({ verdict: 'FAIL', reason: lost })
const mendsMerge: Entry = {
  template: true,
  writes: { 'src/app.txt': 'both, round {n}\n' },
  runs: [
    ['git', 'add', '-A'],
    ['git', 'commit', '--quiet', '-m', 'fix: the merge'],
  ],
  answer: { status: 'success', commit_hash: '{commit}', tests_passed: true },
}

const approved = [...steps.plan(), ...steps.planApproved()]
const audited = [...approved, ...steps.code(), ...steps.auditPasses()]
const fromMergeReview = [
  ...[...steps.mergePasses(), ...steps.archive(), ...steps.deliver()],
  ...steps.success(),
]

const scoreTooLow = [
  ...['plan_review#1 started', 'LEAD ARCHITECT called', 'LEAD ARCHITECT exit 0', 'answer accepted'],
  ...[`wrote ${steps.paths.planReview(1)}`, 'commit by engine'],
  ...['gate within_scope met', 'gate artifact_written met', 'gate score not met', 'branch moved'],
  'plan_review#1 revise score',
]

const withoutConflicts = (n: number) => [
  ...[...steps.code(n), ...steps.auditPasses(n), ...steps.mergedCleanly(n)],
  ...steps.mergeFails(n, lost),
]

const stories: readonly Story[] = [
  {
    title: 'a plan that lacks a part goes back twice, then a person is asked',
    play: { roles: { architect: [incomplete] } },
    lines: [
      ...[...steps.planIncomplete(1), 'route plan -> plan (1 of 2)'],
      ...[...steps.planIncomplete(2), 'route plan -> plan (2 of 2)'],
      ...[...steps.planIncomplete(3), ...steps.asks('plan', 'reject, answer')],
    ],
  },
  {
    title: 'a plan of too low a score goes back, and the next one is built',
    play: { roles: { plan_reviewer: [scored(69), scored(70)] } },
    lines: [
      ...[...steps.plan(1), ...scoreTooLow, 'route plan_review -> plan (1 of 3)'],
      ...[...steps.plan(2), ...steps.planApproved(2), ...steps.fromCode()],
    ],
  },
  {
    title: 'REJECT of the plan returns it three times, then a person is asked',
    play: { roles: { plan_reviewer: [reject] } },
    lines: [
      ...[...steps.plan(1), ...steps.planRejected(1), 'route plan_review -> plan (1 of 3)'],
      ...[...steps.plan(2), ...steps.planRejected(2), 'route plan_review -> plan (2 of 3)'],
      ...[...steps.plan(3), ...steps.planRejected(3), 'route plan_review -> plan (3 of 3)'],
      ...[...steps.plan(4), ...steps.planRejected(4), ...steps.asks('plan_review')],
    ],
  },
  {
    title: 'code whose tests fail goes back twice, then a person is asked, who cannot approve',
    play: { roles: { developer: [broken(1), broken(2), broken(3)] } },
    lines: [
      ...[...approved, ...steps.testsFail(1), 'route code -> code (1 of 2)'],
      ...[...steps.testsFail(2), 'route code -> code (2 of 2)'],
      ...[...steps.testsFail(3), ...steps.asks('code', 'reject, answer')],
    ],
  },
  ...(['failed', 'blocked'] as const).flatMap((status): Story[] => [
    {
      title: `a Developer that is ${status} asks a person`,
      play: { roles: { developer: [answers({ status, feedback: 'There is no such page.' })] } },
      lines: [...approved, ...steps.givesUp(1, status), ...steps.asks('code')],
    },
    {
      title: `an Integration Specialist that is ${status} asks a person`,
      play: {
        later: sameLines,
        roles: { integration_specialist: [answers({ status, feedback: 'Each deletes the other.' })] },
      },
      lines: [
        ...[...audited, ...steps.mergedInConflict()],
        ...[...steps.resolveGivesUp(status), ...steps.asks('resolve')],
      ],
    },
  ]),
  {
    title: 'FAIL of the audit returns the code three times, then a person is asked',
    play: { roles: { auditor: faults.map(fails) } },
    lines: [
      ...[...approved, ...steps.code(1), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...[...steps.code(2), ...steps.auditFails(2), 'route code_review -> code (2 of 3)'],
      ...[...steps.code(3), ...steps.auditFails(3), 'route code_review -> code (3 of 3)'],
      ...[...steps.code(4), ...steps.auditFails(4), ...steps.asks('code_review')],
    ],
  },
  {
    title: 'a merge without conflicts is committed and reviewed',
    play: { later: elsewhere },
    lines: [...audited, ...steps.integration()],
  },
  {
    title: 'a merge in conflict is resolved and reviewed',
    play: { later: sameLines },
    lines: [...audited, ...steps.mergedInConflict(), ...steps.resolve(), ...fromMergeReview],
  },
  {
    title:
      'FAIL of a merge in conflict returns it to the Integration Specialist twice, then a person is asked',
    play: {
      later: sameLines,
      roles: { integration_specialist: [resolved, mendsMerge], merge_auditor: [mergeFails] },
    },
    lines: [
      ...[...audited, ...steps.mergedInConflict(), ...steps.resolve(1), ...steps.mergeFails(1, lost)],
      ...['route merge_review -> resolve (1 of 2)', ...steps.resolve(2), ...steps.mergeFails(2, lost)],
      ...['route merge_review -> resolve (2 of 2)', ...steps.resolve(3), ...steps.mergeFails(3, lost)],
      ...steps.asks('merge_review'),
    ],
  },
  {
    title:
      'FAIL of a merge without conflicts returns the work to the Developer twice, then a person is asked',
    play: { roles: { merge_auditor: [mergeFails] } },
    lines: [
      ...[...approved, ...withoutConflicts(1), 'route merge_review -> code (1 of 2)'],
      ...[...withoutConflicts(2), 'route merge_review -> code (2 of 2)'],
      ...[...withoutConflicts(3), ...steps.asks('merge_review')],
    ],
  },
  {
    title: 'a base that moves before the delivery is merged twice more, then a person is asked',
    play: {
      onCheck: 'if [ $n -gt 1 ]; then git -C "$HOME" commit --quiet --allow-empty -m "meanwhile $n"; fi',
    },
    lines: [
      ...[...audited, ...steps.movedMeanwhile(1), 'route deliver -> integrate (1 of 2)'],
      ...[...steps.movedMeanwhile(2), 'route deliver -> integrate (2 of 2)'],
      ...[...steps.movedMeanwhile(3), ...steps.asks('deliver')],
    ],
  },
]

for (const mode of ['bugfix', 'research'] as const) {
  describe.concurrent(`in mode ${mode}`, () => {
    for (const { title, play, lines } of stories) {
      it(title, async () => {
        const run = await playPipeline({ mode, ...play })
        expect(sequence(run)).toEqual([...analysed[mode], ...lines])
      })
    }
  })
}

describe.concurrent('in mode research, before the plan', () => {
  it('REJECT of the report returns it to the Researcher three times, then a person is asked', async () => {
    const feedback = 'Name the sources.'
    const run = await playPipeline({
      mode: 'research',
      roles: { lead_analyst: [answers({ verdict: 'REJECT', feedback })] },
    })
    const round = (n: number) => [...steps.research(n), ...steps.analystRejects(n, feedback)]
    expect(sequence(run)).toEqual([
      ...[...steps.begin('research'), ...round(1), 'route analyst_review -> research (1 of 3)'],
      ...[...round(2), 'route analyst_review -> research (2 of 3)'],
      ...[...round(3), 'route analyst_review -> research (3 of 3)'],
      ...[...round(4), ...steps.asks('analyst_review')],
    ])
  })
})
