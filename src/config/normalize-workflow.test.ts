import { describe, expect, it } from 'vitest'
import { workflowFileSchema } from '../model/workflow-file.ts'
import type { Workflow } from '../model/workflow.ts'
import { normalizeWorkflow } from './normalize-workflow.ts'
import { parseYamlDocument } from './yaml-document.ts'

async function normalized(text: string): Promise<Workflow> {
  const { value } = await parseYamlDocument('w.yaml', text)
  return normalizeWorkflow(workflowFileSchema.parse(value), { defaultProvider: 'alpha' })
}

describe('A workflow as the engine runs it', () => {
  it('has every default laid in', async () => {
    const workflow = await normalized(
      'name: x\nroles: { lead_writer: { prompt: w.md } }\nsteps: [{ id: a, agent: lead_writer }]\n',
    )
    expect(workflow).toEqual({
      name: 'x',
      description: '',
      inputs: {},
      modes: {},
      paths: {},
      policy: { branch: 'task/{task_id}-{slug}', worktree: '../.worktrees/{task_id}-{slug}' },
      checks: {},
      budget: {},
      says: {},
      emits: {},
      roles: { lead_writer: role },
      steps: [
        {
          id: 'a',
          when: {},
          reads: [],
          writes: [],
          with: {},
          gates: [],
          on: {},
          says: {},
          emits: {},
          type: 'agent',
          role,
        },
      ],
      fragments: {},
    })
  })

  it('lays the defaults under roles and roles under steps', async () => {
    const { steps } = await normalized(
      'name: x\ndefaults: { repair: 0, timeout: { wall: 1m, idle: 10s }, prompt: d.md }\n' +
        'roles: { writer: { prompt: w.md, timeout: { wall: 2m } } }\n' +
        'steps: [{ id: a, agent: writer, output: o.json, retry: { max_attempts: 1 } }]\n',
    )
    expect(steps[0]).toMatchObject({
      role: {
        ...{ prompt: 'w.md', output: 'o.json', repair: 0 },
        timeout: { wallMs: 120_000, idleMs: 10_000, toolMs: 120_000 },
        retry: { maxAttempts: 1, delayMs: 5000, backoff: 2 },
      },
    })
  })

  it('merges routes, texts and events word by word', async () => {
    const { steps } = await normalized(
      'name: x\ndefaults: { on: { failed: ask, blocked: ask }, says: { start: Hello., end: Bye. }, emits: { start: BEGUN } }\n' +
        'steps: [{ id: a, do: deliver, on: { failed: end }, says: { start: "" }, emits: { ok: { type: DONE, data: { a: 1 } } } }]\n',
    )
    expect(steps[0]).toMatchObject({
      on: {
        failed: { type: 'to', target: 'end', once: false },
        blocked: { type: 'to', target: 'ask', once: false },
      },
      says: { start: '', end: 'Bye.' },
      emits: { start: { type: 'BEGUN' }, ok: { type: 'DONE', data: { a: 1 } } },
    })
  })

  it('names a gate with parameters by its first key', async () => {
    const { steps } = await normalized(
      'name: x\nsteps: [{ id: a, do: deliver, gates: [tests, { score: 70, if_present: true }] }]\n',
    )
    expect(steps[0]?.gates).toEqual([
      { name: 'tests', parameters: {} },
      { name: 'score', parameters: { score: 70, if_present: true } },
    ])
  })

  it('writes routes out, and fragments in where a list names them', async () => {
    const { steps } = await normalized(
      'name: x\nsteps:\n  - { id: all, each: plan.parts, steps: part, attempts: "{laps}", when: { kind: [a, b], deep: true } }\n' +
        'fragments:\n  part:\n    - id: one\n      check: [tests, lint]\n      timeout: { wall: 2m }\n' +
        '      on: { fail: { call: part, limit: 1, max_depth: 3, emits: AGAIN, then: { to: one, limit: 2, then: fail } } }\n',
    )
    expect(steps[0]).toMatchObject({
      ...{ type: 'each', list: 'plan.parts', attempts: '{laps}', when: { kind: ['a', 'b'], deep: [true] } },
      steps: [
        {
          ...{ type: 'check', checks: ['tests', 'lint'], timeoutMs: 120_000 },
          on: {
            fail: {
              ...{
                type: 'call',
                target: 'part',
                limit: 1,
                once: false,
                maxDepth: 3,
                emits: { type: 'AGAIN' },
              },
              then: {
                type: 'to',
                target: 'one',
                limit: 2,
                once: false,
                then: { type: 'to', target: 'fail', once: false },
              },
            },
          },
        },
      ],
    })
  })

  it('reads truth values and numbers as the words that they are written with', async () => {
    const { roles } = await normalized(
      'name: x\nroles: { w: { prompt: w.md, verdicts: { passed: { true: ok, false: revise }, code: { 0: ok } } } }\nsteps: [{ id: a, agent: w }]\n',
    )
    expect(roles['w']?.verdicts).toEqual({ passed: { true: 'ok', false: 'revise' }, code: { '0': 'ok' } })
  })
})

const role = {
  ...{
    name: 'lead_writer',
    title: 'LEAD WRITER',
    prompt: 'w.md',
    provider: 'alpha',
    capabilities: ['read'],
    mayWrite: [],
  },
  ...{
    commits: 'engine',
    edits: 'agent',
    answer: 'json_tail',
    verdicts: {},
    feedback: 'feedback',
    repair: 2,
  },
  retry: { maxAttempts: 3, delayMs: 5000, backoff: 2 },
  timeout: { wallMs: 1_800_000, idleMs: 300_000, toolMs: 1_800_000 },
}
