// What happens when a service says no, and how long an agent may be silent.
import { describe, expect, test } from 'vitest'
import { journalOf, until } from '../e2e/baton.ts'
import { rolesProject } from '../support/roles-run.ts'
import type { Project } from '../support/roles-run.ts'

const done = 'answer: { status: done }'
const quota = 'fails: { error: quota, message: no more today, resets_in: 2h }'

async function playersIn(project: Project): Promise<unknown[]> {
  return (await project.facts('agent.started')).map(
    ({ step, provider }) => `${String(step)} ${String(provider)}`,
  )
}

describe.concurrent('a quota that is used up (quota.exhausted)', () => {
  test('ends the run with exit 75, the time, and the command that goes on; nobody is started before', async () => {
    const project = await rolesProject({
      ...{ roles: { one: '' } },
      script: `roles: { one: [{ calls: [{ ${quota} }, { ${done} }] }] }\n`,
    })
    const ended = await project.type('run')
    expect(ended.code, ended.stderr).toBe(75)
    const [exhausted] = await project.facts('provider.exhausted')
    const time = String(exhausted?.['resets_at']).replace(/\.\d+Z$/, 'Z')
    expect(ended.stderr).toBe(
      `error: no more today. Nobody is started before ${time}.\n` +
        'next: Then: baton resume 1   (or now: baton resume 1 --wait)\n',
    )
    expect((await project.type('show')).stdout).toContain(time)
    // Too early: the time is known, so the service is not asked again.
    expect((await project.type('resume', '1')).code).toBe(75)
    expect(await project.facts('agent.started')).toHaveLength(1)
  })

  test('without a time: a resumed run asks the service again', async () => {
    const project = await rolesProject({
      ...{ roles: { one: '' } },
      script: `roles: { one: [{ calls: [{ fails: { error: quota } }, { writes: { a.txt: "a" }, ${done} }] }] }\n`,
    })
    expect((await project.type('run')).code).toBe(75)
    expect((await project.type('resume', '1')).code).toBe(0)
    expect(await project.facts('agent.started')).toHaveLength(2)
  })

  test('with --wait: the run waits for the time that was named, and goes on by itself', async () => {
    const soon = 'fails: { error: quota, resets_in: 1500ms }'
    const project = await rolesProject({
      ...{ roles: { one: '' } },
      script: `roles: { one: [{ calls: [{ ${soon} }, { ${done} }] }] }\n`,
    })
    const ended = await project.type('run', '--wait')
    expect(ended.code, ended.stderr).toBe(0)
    const [exhausted] = await project.facts('provider.exhausted')
    const [retried] = await project.facts('agent.retried')
    expect(retried).toMatchObject({ error: 'quota', detail: 'scripted', after_ms: expect.any(Number) })
    const starts = (await journalOf(project.root)).filter(({ type }) => type === 'agent.started')
    expect(starts).toHaveLength(2)
    expect(Date.parse(starts[1]?.ts ?? '')).toBeGreaterThanOrEqual(
      Date.parse(String(exhausted?.['resets_at'])),
    )
  })

  test('the time limit of the run is not waited away', async () => {
    const project = await rolesProject({
      ...{ roles: { one: '' } },
      script: `roles: { one: [{ ${quota} }] }\n`,
    })
    expect((await project.type('run', '--wait', '--time-limit', '1h')).code).toBe(75)
  })

  test('counts as no attempt: an accident before it and after it are two', async () => {
    const crash = 'ends: { crash: true }'
    const project = await rolesProject({
      ...{ roles: { one: 'retry: { max_attempts: 2, delay: 1ms }' } },
      script: `roles: { one: [{ calls: [{ fails: { error: quota, resets_in: 1ms } }, { ${crash} }, { ${done} }] }] }\n`,
    })
    expect((await project.type('run', '--wait')).code).toBe(0)
    expect(await project.facts('agent.started')).toHaveLength(3)
  })
})

describe.concurrent('other errors of a service', () => {
  test.each(['auth', 'context', 'refused'])('%s is not tried again', async (error) => {
    const project = await rolesProject({
      ...{ roles: { one: 'retry: { max_attempts: 3, delay: 1ms }' } },
      script: `roles: { one: [{ calls: [{ fails: { error: ${error} } }, { ${done} }] }] }\n`,
    })
    expect((await project.type('run')).code).toBe(1)
    expect(await playersIn(project)).toHaveLength(1)
    expect(await project.facts('step.finished')).toMatchObject([{ outcome: 'failed', label: error }])
  })

  test.each(['overloaded', 'protocol'])('%s is tried again', async (error) => {
    const project = await rolesProject({
      ...{ roles: { one: 'retry: { max_attempts: 3, delay: 1ms }' } },
      script: `roles: { one: [{ calls: [{ fails: { error: ${error} } }, { ${done} }] }] }\n`,
    })
    expect((await project.type('run')).code).toBe(0)
    expect(await project.facts('agent.retried')).toMatchObject([{ error }])
  })
})

describe.concurrent('silence', () => {
  const clocks = (idle: string, tool: string) => `timeout: { wall: 60s, idle: ${idle}, tool: ${tool} }`

  test('of a tool that takes long is no hang', async () => {
    const project = await rolesProject({
      roles: { one: clocks('10s', '50s') },
      script: `roles: { one: [{ tools: [{ name: shell, lasts: 14s }], ${done} }] }\n`,
    })
    const ended = await project.type('run')
    expect(ended.code, ended.stderr + ended.stdout).toBe(0)
  })

  test('between tool calls is one', async () => {
    const project = await rolesProject({
      roles: { one: clocks('500ms', '50s') },
      script: `roles: { one: [{ tools: [{}], usage: { input: 1 }, ends: { hang: true } }] }\n`,
    })
    expect((await project.type('run')).code).toBe(1)
    expect(await project.facts('step.finished')).toMatchObject([
      { label: 'idle', reason: 'the agent printed nothing for 0.5 s' },
    ])
  })

  test('of a tool beyond its own time is one too', async () => {
    const project = await rolesProject({
      roles: { one: clocks('50s', '500ms') },
      script: `roles: { one: [{ tools: [{ lasts: 50s }], ${done} }] }\n`,
    })
    expect((await project.type('run')).code).toBe(1)
    expect(await project.facts('step.finished')).toMatchObject([
      { label: 'idle', reason: "a tool of the agent's gave no result for 0.5 s" },
    ])
  })
})

// Alone: it waits for a fact of a run that works at the same time.
test('a wait can be cancelled', async () => {
  const project = await rolesProject({
    ...{ roles: { one: '' } },
    script: `roles: { one: [{ ${quota} }] }\n`,
  })
  const running = project.type('run', '--wait')
  await until(
    async () => (await project.facts('provider.exhausted').catch(() => [])).length > 0,
    'the quota to be found used up',
  )
  expect((await project.type('cancel', '1')).code).toBe(0)
  expect((await running).code).toBe(130)
})
