import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/model/json.ts'
import { goodPlan, planned, playPipeline, stopAtCode } from '../support/pipeline.ts'
import type { Entry, Roles } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const plan = planned(goodPlan)
const { paths } = steps

const notWritten = `FORMAT asks for '${paths.plan}', but that file was not written in this step.`

/** The Architect's step with one call for each answer that was refused, and a last one that was not. */
const repaired = (...problems: readonly string[]) => [
  'plan#1 started',
  'ORCHESTRATOR: Spawning ARCHITECT...',
  ...problems.flatMap((problem) => ['ARCHITECT called', 'ARCHITECT exit 0', `answer refused: ${problem}`]),
  ...steps.plan().slice(2),
]

/** A reviewer's step of the same kind. */
const reviewRepaired = (...problems: readonly string[]) => [
  'plan_review#1 started',
  ...problems.flatMap((problem) => [
    'LEAD ARCHITECT called',
    'LEAD ARCHITECT exit 0',
    `answer refused: ${problem}`,
  ]),
  ...steps.planApproved().slice(1),
]

const goesOn = (roles: Roles) => playPipeline({ roles: { ...stopAtCode, ...roles } })

describe.concurrent('an answer is found', () => {
  it('in a fence, bare, between prose, in single quotes, and where it is given twice (R001-67, R000-33, R000-34, C-04, C-05)', async () => {
    const run = await playPipeline({
      roles: {
        architect: [{ ...plan, as: 'prose' }],
        plan_reviewer: [{ answer: { verdict: 'APPROVE' }, as: 'single_quotes' }],
        auditor: [
          { prints: 'I looked {at} it.', answer: { verdict: 'PASS', review_path: '{writes}' }, as: 'twice' },
        ],
        merge_auditor: [
          { prints: 'Both sides work.', answer: { verdict: 'PASS' }, as: 'bare', after: 'Bye {now}.' },
        ],
      },
    })
    expect(sequence(run)).toEqual([...steps.begin('direct'), ...steps.fromPlan()])
    const repairs = run.lines.filter(
      ({ type, data }) => type === 'answer.accepted' && data['repaired'] === true,
    )
    expect(repairs.map(({ role }) => role)).toEqual(['LEAD ARCHITECT'])
  })

  it('where an example came before it: the last one that fits counts (C-05)', async () => {
    const run = await goesOn({
      plan_reviewer: [
        {
          prints: 'I could say:\n```json\n{ "verdict": "REJECT", "feedback": "no" }\n```\nbut I do not.',
          answer: { verdict: 'APPROVE' },
        },
      ],
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...steps.plan(),
      ...steps.planApproved(),
      ...steps.stop(),
    ])
  })
})

describe.concurrent('an answer that cannot be used is quoted back, and the agent may correct it twice', () => {
  it('no JSON at all, then half of one (R001-131, R000-82, C-08)', async () => {
    const run = await goesOn({
      architect: [{ calls: [{ prints: 'The plan is done.' }, { ...plan, as: 'broken' }, plan] }],
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...repaired(
        'no complete JSON object was found in the answer',
        'the fenced JSON does not parse: line 2, column 31: it ends too early',
      ),
      ...steps.planApproved(),
      ...steps.stop(),
    ])
    const second = await run.prompt('plan#1', 2)
    expect(second.startsWith(await run.prompt('plan#1', 1))).toBe(true)
    expect(second).toContain(
      'YOUR LAST ANSWER WAS NOT ACCEPTED:\nno complete JSON object was found in the answer\n',
    )
  })

  it('an empty answer, then a file that was promised and not written (R001-165, R001-131)', async () => {
    const run = await goesOn({ architect: [{ calls: [{}, { answer: { plan_path: '{writes}' } }, plan] }] })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...repaired('the answer is empty', notWritten),
      ...steps.planApproved(),
      ...steps.stop(),
    ])
  })

  it('a file at a wrong path does not count, and what the answer says about its path does not either (R001-99, R001-165)', async () => {
    const elsewhere = 'docs/dev_docs/plans/another.md'
    const wrong: Entry = { writes: { [elsewhere]: goodPlan }, answer: { plan_path: elsewhere } }
    const run = await goesOn({
      architect: [{ calls: [wrong, { ...plan, answer: { plan_path: elsewhere } }] }],
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...repaired(notWritten),
      ...steps.planApproved(),
      ...steps.stop(),
    ])
  })

  it('a verdict that is not one of the listed words, then a REJECT without feedback (R001-109, R000-35, R000-63)', async () => {
    const calls = [
      { answer: { verdict: 'LGTM' } },
      { answer: { verdict: 'REJECT' } },
      { answer: { verdict: 'APPROVE' } },
    ]
    const run = await goesOn({ plan_reviewer: [{ calls }] })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan()],
      ...reviewRepaired(
        'the fenced JSON does not fit: verdict: must be one of APPROVE, REJECT',
        "the fenced JSON does not fit: the answer: 'feedback' is missing",
      ),
      ...steps.stop(),
    ])
  })

  it('a key that nobody asked for, then a backlog that is no list (R001-124, R000-35)', async () => {
    const calls = [
      { answer: { verdict: 'APPROVE', mood: 'good' } },
      { answer: { verdict: 'APPROVE', backlog_items: 'later' } },
      { answer: { verdict: 'APPROVE' } },
    ]
    const run = await goesOn({ plan_reviewer: [{ calls }] })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan()],
      ...reviewRepaired(
        "the fenced JSON does not fit: the answer: unknown key 'mood'",
        'the fenced JSON does not fit: backlog_items: must be array',
      ),
      ...steps.stop(),
    ])
  })

  it('what it did before the correction stays (C-08)', async () => {
    const run = await goesOn({
      architect: [
        {
          calls: [
            { ...plan, as: 'none' },
            { answer: { plan_path: '{writes}' }, expects_file: ['{writes}'] },
          ],
        },
      ],
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...repaired('the answer is empty'),
      ...steps.planApproved(),
      ...steps.stop(),
    ])
  })

  it('after the second correction the step has failed, what was left is kept, and a person is asked (R000-82, R000-83, R001-132, C-08)', async () => {
    const run = await playPipeline({ roles: { architect: [{ ...plan, as: 'none', prints: 'Done!' }] } })
    const problem = 'no complete JSON object was found in the answer'
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      'plan#1 started',
      'ORCHESTRATOR: Spawning ARCHITECT...',
      ...['ARCHITECT called', 'ARCHITECT exit 0', `answer refused: ${problem}`],
      ...['ARCHITECT called', 'ARCHITECT exit 0', `answer refused: ${problem}`],
      ...['ARCHITECT called', 'ARCHITECT exit 0'],
      `answer refused for good: no valid answer after 3 calls: ${problem}`,
      'snapshot made: invalid',
      'plan#1 failed invalid',
      ...steps.asks('plan'),
    ])
    expect(run.end).toMatchObject({
      type: 'waiting',
      exitCode: 3,
      question: { text: `Step 'plan' ended failed (invalid): no valid answer after 3 calls: ${problem}` },
    })
    const kept = run.lines.find(({ type }) => type === 'snapshot.made')
    expect(await run.git('show', `${textOf(kept?.data['ref'])}:${paths.plan}`)).toContain('# Plan, round 1')
    expect(await run.file(paths.plan)).toBe('')
  })
})
