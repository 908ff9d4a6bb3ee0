import { describe, expect, it } from 'vitest'
import { agent, workflowOf } from '../../test/support/workflow-values.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import { promptFor, scopeOf, writesOf } from './prompt-for.ts'
import type { Site } from './workplace.ts'

const step = agent('plan', {
  role: { prompt: 'architect.md', system: 'system.md', output: 'plan.json', mayWrite: ['{docs}/plans/'] },
  writes: [{ path: '{docs}/plans/plan_{feat}_v{n}.md', orAnswer: false }],
  with: { goal: '{task}', steps: '{research.steps}' },
})

const request: StepRequest & { readonly step: AgentStep } = {
  ...{
    workflow: workflowOf([step]),
    step,
    key: 'plan#2',
    visit: 2,
    reads: [],
    feedback: [],
    agreed: { plans: {}, said: [] },
  },
  values: { task: 'Add search', docs: 'docs', feat: 'search', n: 2, research: { steps: ['a'] } },
}

/** Only what prompts are made of. */
const site = {
  prompts: { 'architect.md': 'Plan {feat}. Literal {{braces}}.', 'system.md': 'System for {feat}.' },
  schemas: { 'plan.json': { type: 'object', title: 'a plan' } },
  task: { branch: 'task/1-search' },
  base: { name: 'main' },
  ports: { PORT: '4711' },
} as unknown as Site

const start = { tip: 'abc1234', tree: 't', at: '2025-10-02T12:00:00.000Z' }

describe('the prompt of a step', () => {
  const prompt = promptFor({ site, request, start, inputs: {} })

  it('is made of the role’s files, with variables filled in (R001-135, R002-04, C-81)', () => {
    expect(prompt.startsWith('System for search.\n\nCONTEXT:')).toBe(true)
    expect(prompt).toContain('Plan search. Literal {braces}.')
    expect(prompt).toContain('"title": "a plan"')
  })

  it('says where the agent works, which round it is, and what it may use', () => {
    expect(prompt).toContain("on branch 'task/1-search' at commit abc1234")
    expect(prompt).toContain("merged into 'main'")
    expect(prompt).toContain('This is round 2 of this step.')
    expect(prompt).toContain('PORT is a free port for you: 4711')
  })

  it('has the task, the values that are handed over by name, and the file to write', () => {
    expect(prompt).toContain('<<<TASK\nAdd search\nTASK>>>')
    expect(prompt).toContain('{\n  "goal": "Add search",\n  "steps": [\n    "a"\n  ]\n}')
    expect(prompt).toContain("Write the file 'docs/plans/plan_search_v2.md'")
    expect(prompt).toContain("a change outside 'docs/plans/', 'docs/plans/plan_search_v2.md' is undone")
  })

  it('tells of a merge that is under way', () => {
    const merging = promptFor({ site, request: { ...request, mergeHead: 'def5678' }, start, inputs: {} })
    expect(merging).toContain("'main' (commit def5678) is being merged")
  })

  it('takes the goal for the task where a workflow calls it so', () => {
    const { task: _task, ...rest } = request.values
    const bare = { ...request, step: { ...step, with: {} }, values: { ...rest, goal: 'Find it' } }
    expect(promptFor({ site, request: bare, start, inputs: {} })).toContain('<<<TASK\nFind it\nTASK>>>')
  })

  it('of an unknown prompt has no words of its own, but the whole frame', () => {
    const bare = promptFor({ site: { ...site, prompts: {} }, request, start, inputs: {} })
    expect(bare).toMatch(/^CONTEXT:\nYou are the PLAN\.\n/)
  })
})

describe('what a step may write', () => {
  it('its files and its scope have their variables filled in', () => {
    expect(writesOf(request)).toEqual([{ path: 'docs/plans/plan_search_v2.md', orAnswer: false }])
    expect(scopeOf(request)).toEqual(['docs/plans/'])
  })
})
