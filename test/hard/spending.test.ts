// Which model plays and why, what it used, and where a run stops because of it.
import { describe, expect, test } from 'vitest'
import { documentOf } from '../e2e/baton.ts'
import { rolesProject } from '../support/roles-run.ts'
import type { Project } from '../support/roles-run.ts'

const answers = (more: string): string => `[{ answer: { status: done }${more} }]`

async function startedIn(project: Project): Promise<unknown[]> {
  const started = await project.facts('agent.started')
  return started.map(({ step, model, model_from: from, complexity }) => ({ step, model, from, complexity }))
}

describe.concurrent('the model of each agent', () => {
  const settings = 'models: { scripted: { low: small, medium: middle, high: large } }\n'
  const roles = { one: '', two: 'model: pinned' }
  const script = `roles:\n  one: ${answers('')}\n  two: ${answers('')}\n`

  test('R002-13, R002-23: is chosen by complexity, unless the role names one; the journal says which and why', async () => {
    const project = await rolesProject({ roles, script, settings })
    expect((await project.type('run', '--complexity', 'high')).code).toBe(0)
    expect(await startedIn(project)).toEqual([
      { step: 'one_step', model: 'large', from: 'complexity', complexity: { level: 'high', from: 'asked' } },
      { step: 'two_step', model: 'pinned', from: 'role' },
    ])
  })

  test('C-75: is what --model says for all of them', async () => {
    const project = await rolesProject({ roles, script, settings })
    expect((await project.type('run', '--model', 'mine')).code).toBe(0)
    expect(await startedIn(project)).toEqual([
      { step: 'one_step', model: 'mine', from: 'flag' },
      { step: 'two_step', model: 'mine', from: 'flag' },
    ])
  })

  test("C-28, C-76: follows the complexity that an earlier step's answer has, and the items of a list", async () => {
    const steps = `  - { id: plan, agent: one }
  - { id: build, agent: one, reads: [plan] }
  - { id: items, each: plan.tasks, steps: [{ id: item, agent: one }] }
`
    const project = await rolesProject({
      ...{ roles: { one: '' }, settings, steps },
      script: `steps:
  plan: [{ answer: { complexity: complex, tasks: [{ id: T1, complexity: simple }, { id: T2 }] } }]
  build: ${answers('')}
  item: ${answers('')}
`,
    })
    expect((await project.type('run')).code).toBe(0)
    const stored = (level: string) => ({ level, from: 'stored' })
    expect(await startedIn(project)).toMatchObject([
      { step: 'plan', model: 'middle', complexity: { level: 'medium', from: 'default' } },
      { step: 'build', model: 'large', complexity: stored('high') },
      { step: 'item', model: 'small', complexity: stored('low') },
      { step: 'item', model: 'middle', complexity: { level: 'medium', from: 'default' } },
    ])
  })
})

describe.concurrent('what a run has used', () => {
  const roles = { one: '', two: '' }

  test('is told by step, role and all in all; what a tool does not say stays unknown', async () => {
    const project = await rolesProject({
      roles,
      script: `roles:
  one: ${answers(', usage: { input: 1000, cached: 400, output: 50, cost: 0.25 }')}
  two: ${answers(', usage: { input: 10 }')}
`,
    })
    expect((await project.type('run')).code).toBe(0)
    const { stdout } = await project.type('cost', '--json')
    const zero = (known: number) => ({ known, unknown: 0 })
    const one = { calls: 1, input: zero(1000), cached: zero(400), output: zero(50), cost: zero(0.25) }
    const unknown = { known: 0, unknown: 1 }
    const two = { calls: 1, input: zero(10), cached: unknown, output: unknown, cost: unknown }
    expect(JSON.parse(stdout)).toEqual({
      run: '1',
      steps: [
        { step: 'one_step', role: 'ONE', provider: 'scripted', model: '', ...one },
        { step: 'two_step', role: 'TWO', provider: 'scripted', model: '', ...two },
      ],
      roles: [
        { role: 'ONE', ...one },
        { role: 'TWO', ...two },
      ],
      total: {
        ...{ calls: 2, input: zero(1010), cached: { known: 400, unknown: 1 } },
        ...{ output: { known: 50, unknown: 1 }, cost: { known: 0.25, unknown: 1 } },
      },
    })
    const table = (await project.type('cost')).stdout
    expect(table).toMatch(/two_step +TWO +scripted +1 +10 +\? +\? +\?\n/)
    expect(table).toMatch(/all +2 +1,010 +400 \+ \? +50 \+ \? +\$0\.25 \+ \?\n/)
  })

  test('a price list tells the cost where the tool does not', async () => {
    const project = await rolesProject({
      ...{ roles: { one: 'model: big' }, settings: 'prices: { big: { input: 2, output: 10 } }\n' },
      script: `roles: { one: ${answers(', usage: { input: 500000, output: 100000 }')} }\n`,
    })
    await project.type('run')
    expect((await project.type('cost')).stdout).toContain('$2.00')
  })

  test('calls that were refused and asked again count too', async () => {
    const project = await rolesProject({
      roles: { one: 'repair: 1' },
      script: `roles:
  one:
    - calls:
        - { prints: no JSON, usage: { input: 7, output: 1, cost: 0 } }
        - { answer: { status: done }, usage: { input: 8, output: 1, cost: 0 } }
`,
    })
    expect((await project.type('run')).code).toBe(0)
    expect(JSON.parse((await project.type('cost', '--json')).stdout)).toMatchObject({
      total: { calls: 2, input: { known: 15, unknown: 0 } },
    })
  })
})

describe.concurrent('a limit', () => {
  const roles = { one: '', two: '' }
  const used = ', usage: { input: 900, output: 100, cost: 0.5 }'
  const script = `roles:\n  one: ${answers(used)}\n  two: ${answers(used)}\n`

  test.each([
    ['--max-cost', '0.5', '1.1'],
    ['--max-tokens', '1000', 'none'],
  ])('%s stops before the next agent with exit 4, and a higher one goes on', async (flag, limit, more) => {
    const project = await rolesProject({ roles, script })
    const stopped = await project.type('run', flag, limit, '--json')
    expect(stopped.code, stopped.stderr).toBe(4)
    expect(documentOf(stopped)).toMatchObject({
      ...{ outcome: 'spending', step: 'one_step', reason: expect.stringContaining('is reached') },
    })
    expect(await project.facts('agent.started')).toHaveLength(1)
    expect((await project.type('show')).stdout).toMatch(/status +out_of_budget[\s\S]*--max-cost/)
    expect((await project.type('resume', '1')).code).toBe(4)
    expect((await project.type('resume', '1', flag, more)).code).toBe(0)
    expect(await project.facts('agent.started')).toHaveLength(2)
  })

  test('is not taken for kept where the cost of an answer is not known', async () => {
    const project = await rolesProject({ roles, script: script.replaceAll(', cost: 0.5', '') })
    const stopped = await project.type('run', '--max-cost', '100', '--json')
    expect([stopped.code, documentOf(stopped).reason]).toEqual([
      ...[4, 'the limit of $100.00 cannot be kept: of one call the cost is not known'],
    ])
    expect((await project.type('resume', '1', '--max-cost', 'none')).code).toBe(0)
  })

  test('that is reached with the last agent does not keep the work from being delivered', async () => {
    const project = await rolesProject({ roles: { one: '' }, script: `roles: { one: ${answers(used)} }\n` })
    expect((await project.type('run', '--max-cost', '0.1')).code).toBe(0)
  })

  test('that is no number is refused', async () => {
    const project = await rolesProject({ roles, script })
    const { code, stderr } = await project.type('run', '--max-tokens', '1.5')
    expect([code, stderr]).toEqual([
      ...[2, expect.stringContaining("'1.5' is no limit: a whole number of tokens above 0, or none.")],
    ])
  })
})
