import { beforeAll, describe, expect, it } from 'vitest'
import { defaultProvider, providerNames } from '../../src/agents/registry.ts'
import { layersFor } from '../../src/config/layers.ts'
import { loadWorkflow } from '../../src/config/load-workflow.ts'
import type { LoadedWorkflow } from '../../src/config/loaded-workflow.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { AgentStep, Step } from '../../src/model/workflow.ts'
import { actionLabels } from '../../src/steps/actions.ts'
import { gateShapes } from '../../src/gates/judge-gates.ts'
import { answerValidator } from '../../src/steps/validate-answer.ts'

let pipeline: LoadedWorkflow

beforeAll(async () => {
  pipeline = await loadWorkflow('pipeline', {
    ...{ layers: layersFor({ env: { HOME: '/nonexistent' } }), defaultProvider, providers: providerNames },
    ...{ actions: actionLabels, gates: gateShapes },
  })
})

interface Answers {
  readonly fits: readonly JsonObject[]
  /** Each with a sentence that says what is wrong with it. */
  readonly refused: readonly (readonly [JsonObject, string])[]
}

const report: Answers = {
  fits: [{ report_path: 'docs/r.md' }, { report_path: 'docs/r.md', backlog_items: ['Later.'] }],
  refused: [
    [{}, "the answer: 'report_path' is missing"],
    [{ report_path: '' }, 'report_path: must NOT have fewer than 1 characters'],
    [{ path: 'docs/r.md', report_path: 'docs/r.md' }, "the answer: unknown key 'path'"],
  ],
}

const done: Answers = {
  fits: [
    { status: 'success', commit_hash: '7f3a2b1' },
    { status: 'success', commit_hash: '7f3a2b1', tests_passed: true },
    { status: 'failed', feedback: 'It does not compile.' },
    { status: 'blocked', feedback: 'The plan contradicts itself.' },
  ],
  refused: [
    [{ status: 'success' }, "the answer: 'commit_hash' is missing"],
    [{ status: 'success', commit_hash: 'HEAD' }, 'commit_hash: must match pattern "^[0-9a-f]{7,64}$"'],
    [{ commit_hash: '7f3a2b1' }, "the answer: 'status' is missing"],
    [{ status: 'blocked' }, "the answer: 'feedback' is missing"],
  ],
}

const approval: Answers = {
  fits: [{ verdict: 'APPROVE' }, { verdict: 'REJECT', feedback: 'F1: no scenario.' }],
  refused: [
    [{ verdict: 'REJECT' }, "the answer: 'feedback' is missing"],
    [{ verdict: 'ESCALATE' }, 'verdict: must be one of APPROVE, REJECT'],
    [{ verdict: 'approve' }, 'verdict: must be one of APPROVE, REJECT'],
  ],
}

describe('the answer of a role', () => {
  it.each<[title: string, step: string, answers: Answers]>([
    ['R001-91: the Investigator answers with the path of its report', 'investigate', report],
    ['R001-94: the Researcher answers with the path of its report', 'research', report],
    [
      'R001-97, R001-96: the Lead Analyst approves, rejects with feedback or escalates',
      'analyst_review',
      {
        fits: [...approval.fits, { verdict: 'ESCALATE' }],
        refused: [
          [{ verdict: 'REJECT' }, "the answer: 'feedback' is missing"],
          [{ verdict: 'MAYBE' }, 'verdict: must be one of APPROVE, REJECT, ESCALATE'],
        ],
      },
    ],
    [
      'R001-106, R001-39: the Architect answers with the path of the plan',
      'plan',
      {
        fits: [{ plan_path: 'docs/p.md' }],
        refused: [[{ status: 'success' }, "the answer: 'plan_path' is missing"]],
      },
    ],
    ['R001-109, R000-63: the Lead Architect approves, or rejects with feedback', 'plan_review', approval],
    ['R001-116, R001-48, R000-70: the Developer answers with status and commit', 'code', done],
    [
      'R001-119, R000-74: the Auditor answers PASS or FAIL, with the path of its review',
      'code_review',
      {
        fits: [
          { verdict: 'PASS', review_path: 'docs/r.md' },
          { verdict: 'FAIL', review_path: 'docs/r.md' },
        ],
        refused: [
          [{ verdict: 'APPROVE', review_path: 'docs/r.md' }, 'verdict: must be one of PASS, FAIL'],
          [{ verdict: 'PASS' }, "the answer: 'review_path' is missing"],
        ],
      },
    ],
    ['R001-122: the Integration Specialist answers with status and commit', 'resolve', done],
    [
      'C-21: the merge review passes, or fails with a reason',
      'merge_review',
      {
        fits: [{ verdict: 'PASS' }, { verdict: 'FAIL', reason: 'F1: lost.' }],
        refused: [[{ verdict: 'FAIL' }, "the answer: 'reason' is missing"]],
      },
    ],
  ])('%s', async (_title, step, { fits, refused }) => {
    const validate = await validatorOf(step)
    for (const answer of fits) expect([answer, validate(answer)]).toEqual([answer, []])
    for (const [answer, problem] of refused) expect(validate(answer)).toContain(problem)
  })

  it('R001-124, R001-126: of every role may hold a list of ideas, and nothing else under that name', async () => {
    const smallest: Record<string, JsonObject> = {
      ...{
        investigate: { report_path: 'r.md' },
        research: { report_path: 'r.md' },
        plan: { plan_path: 'p.md' },
      },
      ...{
        analyst_review: { verdict: 'APPROVE' },
        plan_review: { verdict: 'APPROVE' },
        merge_review: { verdict: 'PASS' },
      },
      ...{
        code: { status: 'success', commit_hash: '7f3a2b1' },
        resolve: { status: 'success', commit_hash: '7f3a2b1' },
      },
      code_review: { verdict: 'PASS', review_path: 'r.md' },
    }
    expect(
      pipeline.workflow.steps
        .filter(isAgent)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(Object.keys(smallest).toSorted())
    for (const [step, answer] of Object.entries(smallest)) {
      const validate = await validatorOf(step)
      expect(validate({ ...answer, backlog_items: ['An idea.'] })).toEqual([])
      expect(validate({ ...answer, backlog_items: 'An idea.' })).not.toEqual([])
      expect(validate({ ...answer, backlog_items: [' '] })).not.toEqual([])
      expect(validate({ ...answer, backlog_items: [{ idea: 'An idea.' }] })).not.toEqual([])
    }
  })
})

describe('the pipeline as a file', () => {
  it('R001-17, R000-36: its steps lead on or back, and whatever leads back has a limit', () => {
    const { steps } = pipeline.workflow
    const place = (id: string): number => steps.findIndex((step) => step.id === id)
    const back = steps.flatMap((step) =>
      Object.entries(step.on)
        .filter(
          ([, { target }]) =>
            target === 'author' || (place(target) !== -1 && place(target) <= place(step.id)),
        )
        .map(([label, route]) => ({
          from: `${step.id} ${label}`,
          limited: route.limit !== undefined || route.once,
        })),
    )
    expect(back).toEqual(
      [
        ...[
          'analyst_review REJECT',
          'analyst_review ESCALATE',
          'plan plan_has_parts',
          'plan_review revise',
          'code revise',
        ],
        ...['code_review revise', 'code_review repeated', 'resolve revise', 'merge_review revise'],
        ...['deliver moved', 'deliver revise'],
      ].map((from) => ({ from, limited: true })),
    )
  })

  it('R000-37: its first seven steps bear the names of the specification', () => {
    expect(pipeline.workflow.steps.map(({ id }) => id.toUpperCase()).slice(0, 7)).toEqual([
      ...['INVESTIGATE', 'RESEARCH', 'ANALYST_REVIEW', 'PLAN', 'PLAN_REVIEW', 'CODE', 'CODE_REVIEW'],
    ])
  })

  it('R000-38: its modes are bugfix, research and direct, and two for after the delivery: rework and archive', () => {
    const modes = ['bugfix', 'research', 'direct', 'rework', 'archive']
    expect(Object.keys(pipeline.workflow.modes)).toEqual(modes)
  })

  it('R001-28, R001-30: only the Investigator may investigate, and only the Researcher may search the web', () => {
    const having = (capability: string): string[] =>
      pipeline.workflow.steps
        .filter(isAgent)
        .filter(({ role }) => role.capabilities.some((one) => one === capability))
        .map(({ id }) => id)
    expect([having('investigate'), having('web_search')]).toEqual([['investigate'], ['research']])
  })

  it('R001-12, R001-13: the Auditor may write reviews only, and commits nothing', () => {
    const auditor = pipeline.workflow.steps.filter(isAgent).find(({ id }) => id === 'code_review')?.role
    expect([auditor?.mayWrite, auditor?.commits, auditor?.capabilities]).toEqual([
      ['{docs}/reviews/'],
      'engine',
      ['read', 'shell'],
    ])
  })
})

async function validatorOf(id: string): Promise<Awaited<ReturnType<typeof answerValidator>>> {
  const step = pipeline.workflow.steps.filter(isAgent).find((one) => one.id === id)
  if (!step) throw new Error(`no step ${id}`)
  return answerValidator(step.role, pipeline.schemas[step.role.output ?? '']?.value)
}

function isAgent(step: Step): step is AgentStep {
  return step.type === 'agent'
}
