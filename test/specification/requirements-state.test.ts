import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { resumeRun } from '../../src/cli/resume-run.ts'
import { foldRun } from '../../src/model/fold-run.ts'
import { runSummary } from '../../src/views/run-summary.ts'
import { play, surroundingsOf } from '../support/run.ts'
import { commits, playPipeline, task } from '../support/pipeline.ts'
import type { PipelineRun, Roles } from '../support/pipeline.ts'
import { makeRepository } from '../support/git.ts'
import { paths } from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const retries = { 'retry: { max_attempts: 3, delay: 5s }': 'retry: { max_attempts: 2, delay: 10ms }' }
const reject = { answer: { verdict: 'REJECT', feedback: 'Say what unchecked means.' } }
const approve = { answer: { verdict: 'APPROVE' } }

const crashes = { ends: { exit: 7 } }

/** A run in mode direct, with a plan that is rejected once, an answer that is no JSON and a process that crashes. */
const rough: Roles = {
  plan_reviewer: [{ calls: [{ prints: 'I would say yes.' }, { ...reject }] }, approve],
  auditor: [
    {
      calls: [
        { ends: { crash: true } },
        { writes: { '{writes}': 'Fine.\n' }, answer: { verdict: 'PASS', review_path: '{writes}' } },
      ],
    },
  ],
}

describe('the state of a run', () => {
  let run: PipelineRun

  beforeAll(async () => {
    run = await playPipeline({ roles: rough, workflow: retries })
  })

  it('R000-04, R001-09: is what the journal comes to, and nothing else', () => {
    expect(foldRun(run.lines)).toEqual(run.state)
    const withoutTheEngine = run.lines.filter(
      ({ type }) => !['step.started', 'step.finished', 'run.finished'].includes(type),
    )
    expect(foldRun(withoutTheEngine)).toMatchObject({ status: 'running', currentStep: '', steps: [] })
  })

  it('R000-36, R000-37: goes from step to step as the workflow says, and names the step that it is at', () => {
    const steps = run.lines.flatMap((line, index) =>
      line.type === 'step.started' ? [foldRun(run.lines.slice(0, index + 1)).currentStep] : [],
    )
    expect(steps).toEqual([
      ...['plan', 'plan_review', 'plan', 'plan_review', 'code', 'code_review', 'integrate', 'merge_review'],
      ...['archive', 'deliver'],
    ])
  })

  it('R000-38: holds the mode', () => {
    expect(run.state.mode).toBe('direct')
  })

  it('R000-39: holds the paths of the artifacts, by step, where they are now', () => {
    const now = (path: string): string[] => [path.replace('docs/dev_docs/', 'docs/dev_docs/archived/')]
    expect(run.state.artifacts).toEqual({
      ...{ plan: now(paths.plan), plan_review: now(paths.planReview(2)), code: now(paths.verification) },
      ...{ code_review: now(paths.codeReview(1)), merge_review: now(paths.mergeReview(1)) },
    })
  })

  it('R000-49: begins before the first step and ends delivered', () => {
    const types = run.lines.map(({ type }) => type)
    expect(types[0]).toBe('run.started')
    expect(types.at(-1)).toBe('run.finished')
    expect(run.state.status).toBe('delivered')
  })

  it('R001-139: shows of each step whether it is under way or how it ended', () => {
    const at = run.lines.findIndex(({ type, data }) => type === 'step.started' && data['step'] === 'code')
    const shown = runSummary(foldRun(run.lines.slice(0, at + 1)), '')
    const steps = shown.split('\n').filter((line) => /^ {2}(plan|plan_review|code)\b/.test(line))
    expect(steps.map((line) => line.trim().split(/ {2,}/).slice(0, 3))).toEqual([
      ['plan', 'ARCHITECT', 'ok'],
      ['plan_review', 'LEAD ARCHITECT', 'revise, REJECT'],
      ['plan (round 2)', 'ARCHITECT', 'ok'],
      ['plan_review (round 2)', 'LEAD ARCHITECT', 'ok, APPROVE'],
      ['code', 'DEVELOPER', 'under way'],
    ])
  })

  it('R001-163: tells afterwards where the run rubbed: refused answers, retries, rounds and times', () => {
    const rubs = sequence(run).filter((line) => /^answer refused|again after|^route plan_review/.test(line))
    expect(rubs).toEqual([
      expect.stringMatching(/^answer refused: /),
      'route plan_review -> plan (1 of 3)',
      expect.stringMatching(/^crash, again after \d+ ms$/),
    ])
    for (const { startedAt, finishedAt } of run.state.steps) {
      expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
    }
  })

  it('R001-164: needs no later version for retries and git', () => {
    expect(run.lines.filter(({ type }) => type === 'agent.retried')).toHaveLength(1)
    expect(run.lines.filter(({ type }) => type === 'commit.made').length).toBeGreaterThan(5)
    expect(run.end.exitCode).toBe(0)
  })

  it('R001-05: is reached in the same way again when the agents do the same again', async () => {
    const again = await playPipeline({ roles: rough, workflow: retries })
    expect(sequence(again)).toEqual(sequence(run))
  })
})

describe('the engine decides', () => {
  it('R001-09, R001-02: the claim of an agent that all is well does not make it so', async () => {
    const broken = { ...commits({ 'src/app.txt': 'BROKEN, round {n}\n' }), template: true }
    const run = await playPipeline({ roles: { developer: [broken] } })
    expect(run.end).toMatchObject({ type: 'waiting', exitCode: 3 })
    expect(
      run.state.steps.filter(({ step }) => step === 'code').map(({ outcome, label }) => [outcome, label]),
    ).toEqual([
      ...[
        ['revise', 'tests_pass'],
        ['revise', 'tests_pass'],
        ['revise', 'tests_pass'],
      ],
    ])
    expect(run.lines.some(({ data }) => data['step'] === 'code_review')).toBe(false)
  })

  it('R001-11: what a role is and may do is frozen when the run begins', async () => {
    const asksAtOnce = { 'to: plan, feedback: feedback, limit: 3': 'to: plan, feedback: feedback, limit: 0' }
    const run = await playPipeline({ roles: { plan_reviewer: [reject] }, workflow: asksAtOnce })
    expect(run.end.type).toBe('waiting')
    const file = join(run.root, '.baton', 'workflows', 'pipeline.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(
      file,
      text.replace('title: DEVELOPER', 'title: INTRUDER').replace('may_write: ["**"]', 'may_write: []'),
    )
    const on = await run.tell('approve')
    expect(on.end.exitCode).toBe(0)
    expect(await on.prompt('code#1')).toContain('You are the DEVELOPER.')
    expect(on.state.steps.find(({ step }) => step === 'code')?.role).toBe('DEVELOPER')
  })
})

describe('the beginning and the end of a run', () => {
  it('R000-50: a mode that does not exist is refused before anything is made', async () => {
    const repository = await makeRepository()
    const started = play({ repository, task, mode: 'quick', scriptText: 'roles: { architect: [{}] }\n' })
    await expect(started).rejects.toMatchObject({ message: expect.stringContaining("'quick'") as string })
    expect(await readFile(join(repository, '.git', 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n')
    await expect(readFile(join(repository, '.baton', 'runs', '1.log.jsonl'))).rejects.toThrow('ENOENT')
  })

  it('R000-52, R001-92: an idea goes to the Researcher first, in the words of the request', async () => {
    const run = await playPipeline({
      mode: 'research',
      roles: { researcher: [crashes] },
      workflow: retries,
    })
    const [first] = run.lines.filter(({ type }) => type === 'agent.started')
    expect(first?.role).toBe('RESEARCHER')
    expect(await run.prompt('research#1')).toContain(`<<<TASK\n${task}\nTASK>>>`)
    expect(
      run.lines.filter(({ type }) => type === 'agent.started').every(({ role }) => role === 'RESEARCHER'),
    ).toBe(true)
  })

  it('R001-98, R000-49: the Architect is given no report where there is none; a run that waits can be cancelled', async () => {
    const run = await playPipeline({ roles: { architect: [crashes] }, workflow: retries })
    expect(await run.prompt('plan#1')).toContain('\nINPUT:\nNothing but the task and the repository.\n')
    expect(run.state.status).toBe('waiting')
    const { state } = await resumeRun(surroundingsOf({ repository: run.root }), {
      run: '1',
      cancelAtOnce: true,
    })
    expect(state.status).toBe('cancelled')
  })

  it('R000-49: a run ends failed where the workflow asks nobody', async () => {
    const run = await playPipeline({
      roles: { architect: [crashes] },
      workflow: { ...retries, 'failed: ask': 'failed: fail' },
    })
    expect([run.state.status, run.end.exitCode]).toEqual(['failed', 1])
  })
})
