import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { gitIn, makeRepository } from '../support/git.ts'
import { play } from '../support/run.ts'
import type { Played } from '../support/run.ts'
import { goodPlan, planned, playPipeline } from '../support/pipeline.ts'
import { paths } from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const worked = { writes: { 'work.txt': 'done\n' }, answer: { status: 'success' } }

describe.concurrent('an agent counts as a whole or not at all', () => {
  it('R001-03: whatever a crashed one has written and committed is not on the branch, nor in the worktree', async () => {
    const half = { writes: { 'half.txt': 'half\n' }, commits: 'half of it', ends: { crash: true } }
    const run = await playWorker([half])
    expect(sequence(run).filter((line) => line === 'WORKER called')).toHaveLength(2)
    expect(run.end).toMatchObject({ type: 'waiting', exitCode: 3 })
    expect(await gitIn(run.repository, 'rev-parse', run.state.branch)).toBe(
      await gitIn(run.repository, 'rev-parse', 'main'),
    )
    expect(await gitIn(run.state.worktree, 'status', '--porcelain')).toBe('')
  })
})

describe.concurrent('a system text', () => {
  it('R000-22, R000-23: stands before everything else, and with json_only nothing but JSON is taken', async () => {
    const role = { system: 'rigid.md', answer: 'json_only' }
    const run = await playWorker(
      [
        { ...worked, as: 'prose' },
        { ...worked, as: 'bare' },
      ],
      role,
    )
    const prompt = await readFile(join(run.folder.steps, 'work.1', 'call-1', 'prompt.md'), 'utf8')
    expect(prompt).toMatch(/^You are a rigid worker\. Output JSON only\.\n\nCONTEXT:\nYou are the WORKER\./)
    expect(prompt).toContain(
      'Your whole response is one JSON object: no text before or after it, no code fence.',
    )
    expect(sequence(run).filter((line) => line.startsWith('answer'))).toEqual([
      expect.stringMatching(/^answer refused: /),
      'answer accepted',
    ])
  })
})

describe.concurrent('what a step has to leave', () => {
  it('R000-53, R001-165: a report that is claimed but was not written is not accepted', async () => {
    const run = await playPipeline({
      mode: 'bugfix',
      roles: { investigator: [{ answer: { report_path: paths.diagnostic } }] },
    })
    const refused = `FORMAT asks for '${paths.diagnostic}', but that file was not written in this step.`
    expect(sequence(run).filter((line) => line.startsWith('answer'))).toEqual([
      `answer refused: ${refused}`,
      `answer refused: ${refused}`,
      `answer refused for good: no valid answer after 3 calls: ${refused}`,
    ])
    expect(run.end.exitCode).toBe(3)
  })

  it('R001-165: a file from an earlier round does not count; it has to be written anew', async () => {
    const unwritten = { answer: { plan_path: paths.plan } }
    const run = await playPipeline({
      roles: {
        architect: [planned(goodPlan), { calls: [unwritten, planned(goodPlan)] }],
        plan_reviewer: [
          { answer: { verdict: 'REJECT', feedback: 'Again.' } },
          { answer: { verdict: 'APPROVE' } },
        ],
      },
    })
    const refused = run.lines.filter(({ type }) => type === 'answer.refused')
    expect(refused.map(({ data }) => [data['step'], data['problem']])).toEqual([
      ['plan', `FORMAT asks for '${paths.plan}', but that file was not written in this step.`],
    ])
    expect(run.end.exitCode).toBe(0)
  })
})

/** One worker in a small workflow of its own; each call is the next of its list, the last again and again. */
async function playWorker(
  calls: readonly JsonObject[],
  role: Readonly<Record<string, string>> = {},
): Promise<Played> {
  const more = Object.entries(role).map(([key, value]) => `, ${key}: ${value}`)
  const repository = await makeRepository({
    '.baton/prompts/worker.md': 'Do what the task says.\n',
    '.baton/prompts/rigid.md': 'You are a rigid worker. Output JSON only.\n',
    '.baton/workflows/small.yaml': `name: small
inputs: { task: { required: true } }
defaults: { retry: { max_attempts: 2, delay: 10ms }, on: { failed: ask } }
roles:
  worker: { title: WORKER, prompt: worker.md, may_write: ["**"]${more.join('')} }
steps:
  - { id: work, agent: worker }
`,
  })
  const scriptText = JSON.stringify({ roles: { worker: [{ calls }] } })
  return play({ repository, task: 'Do it.', scriptText, flags: { workflow: 'small' } })
}
