import { describe, expect, it } from 'vitest'
import { builtIn } from '../../test/support/policy-files.ts'

describe('Files of a project that a workflow names', () => {
  it('R003-06, C-44: need not exist', async () => {
    const { workflow } = await builtIn('minimal')
    expect(workflow.inputs['goal']).toMatchObject({ required: true })
    expect(workflow.roles['coder']).toMatchObject({ provider: 'http', timeout: { wallMs: 60_000 } })
  })

  it('R003-05, R003-06, C-44: say who plays the roles, with prompts of the project, and what the goal is', async () => {
    const { workflow, prompts } = await builtIn('minimal', {
      'config/agents.yaml': 'coder: { model: some-coder, prompt: prompts/coder.md }\n',
      'config/tasks.yaml': 'goal: Provide statistics\n',
      'prompts/coder.md': 'Write plain code.\n',
      'planner.md': 'Not a prompt.\n',
    })
    expect(workflow.roles['coder']).toMatchObject({ model: 'some-coder', prompt: 'prompts/coder.md' })
    expect(prompts['prompts/coder.md']?.text).toBe('Write plain code.\n')
    expect(prompts['planner.md']?.text).toMatch(/^# Planner/)
    expect(workflow.inputs['goal']).toMatchObject({ required: false, default: 'Provide statistics' })
  })

  it('R003-06, R003-89, C-44: say how long things may take, and how often a task is tried', async () => {
    const policies =
      'max_task_retries: 2\ntimeouts: { per_agent_seconds: 30, subprocess_seconds: 90, global_seconds: 300 }\n'
    const { workflow } = await builtIn('minimal', { 'config/policies.yaml': policies })
    const [plan, work] = workflow.steps
    expect(plan).toMatchObject({ role: { timeout: { wallMs: 30_000 } } })
    expect(work).toMatchObject({
      attempts: 3,
      steps: [{ id: 'code' }, { timeoutMs: 90_000 }, { id: 'report' }],
    })
    expect(workflow.budget).toMatchObject({ time: '300s' })
  })

  it.each([
    ['config/policies.yaml', 'file_access: { restrict_to_workspace: false }'],
    ['config/policies.yaml', 'file_access: { allow_paths: [docs] }'],
    ['config/policies.yaml', 'secrets: none'],
    ['config/agents.yaml', 'reviewer: { model: x }'],
    ['config/tasks.yaml', 'tasks: []'],
  ])('C-44: %s is refused where it says what nobody would follow: %s', async (path, text) => {
    await expect(builtIn('minimal', { [path]: `${text}\n` })).rejects.toMatchObject({
      code: 'project.invalid',
    })
  })
})
