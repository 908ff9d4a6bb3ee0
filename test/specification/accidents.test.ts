import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../support/git.ts'
import { goodPlan, planned, playPipeline } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const plan = planned(goodPlan)
const soon = { 'delay: 5s': 'delay: 10ms' }
const crash: Entry = { ends: { crash: true } }
const hang: Entry = { ends: { hang: true } }

/** The Architect's step, where the first calls came to grief and the last one did not. */
const afterAccidents = (...lines: readonly string[]) => [
  ...['plan#1 started', 'ORCHESTRATOR: Spawning ARCHITECT...', ...lines],
  ...steps.plan().slice(2),
]

/** The same step, where no call came to anything. */
const givenUp = (...lines: readonly string[]) => [
  ...['plan#1 started', 'ORCHESTRATOR: Spawning ARCHITECT...', ...lines],
  ...steps.asks('plan'),
]

/** The run stops after the plan: what follows is not the point here. */
const roles = (calls: readonly Entry[]) => ({
  architect: [{ calls }],
  plan_reviewer: [{ ends: { exit: 3 } }],
})

const reviewerIsGone = [
  'plan_review#1 started',
  ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 3', 'crash, again after 10 ms'],
  ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 3', 'crash, again after 20 ms'],
  ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 3'],
  'answer refused for good: the agent ended with exit code 3 (3 times)',
  'plan_review#1 failed crash',
  ...steps.asks('plan_review'),
]

describe.concurrent('an agent whose process comes to grief', () => {
  it('is started again after a while, and the step goes on as if nothing had happened (R001-130, R001-132)', async () => {
    const run = await playPipeline({ workflow: soon, roles: { architect: [{ calls: [crash, plan] }] } })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...afterAccidents('ARCHITECT called', 'ARCHITECT exit 137', 'crash, again after 10 ms'),
      ...[...steps.planApproved(), ...steps.fromCode()],
    ])
  })

  it('is tried three times, each time after a longer while; then a person is asked (R001-132, R000-83, C-86)', async () => {
    const run = await playPipeline({ workflow: soon, roles: { architect: [crash] } })
    // The shell's own word for it differs between systems.
    const told = sequence(run).map((line) => line.replace(/: Killed.* \(/, ' ('))
    expect(told).toEqual([
      ...steps.begin('direct'),
      ...givenUp(
        ...['ARCHITECT called', 'ARCHITECT exit 137', 'crash, again after 10 ms'],
        ...['ARCHITECT called', 'ARCHITECT exit 137', 'crash, again after 20 ms'],
        ...['ARCHITECT called', 'ARCHITECT exit 137'],
        'answer refused for good: the agent ended with exit code 137 (3 times)',
        'plan#1 failed crash',
      ),
    ])
    expect(run.end).toMatchObject({ type: 'waiting', exitCode: 3 })
    expect(run.state.verbs).toEqual(['approve', 'reject', 'answer'])
  })

  it('has not answered if it ends with another exit code than 0 or in the middle of its answer (R001-130, R001-131)', async () => {
    const calls = [{ ...plan, ends: { exit: 7 } }, { ...plan, ends: { partial: true } }, plan]
    const run = await playPipeline({ workflow: soon, roles: roles(calls) })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...afterAccidents(
        ...['ARCHITECT called', 'ARCHITECT exit 7', 'crash, again after 10 ms'],
        ...['ARCHITECT called', 'ARCHITECT exit 1', 'crash, again after 20 ms'],
      ),
      ...reviewerIsGone,
    ])
  })

  it('begins again where the step began: what the crashed one left is not on the branch (R001-74, R001-130)', async () => {
    const messy: Entry = {
      writes: { 'docs/dev_docs/plans/half.md': 'half a thought\n' },
      ends: { crash: true },
    }
    const run = await playPipeline({ workflow: soon, roles: roles([messy, plan]) })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...afterAccidents('ARCHITECT called', 'ARCHITECT exit 137', 'crash, again after 10 ms'),
      ...reviewerIsGone,
    ])
    expect(await run.git('ls-tree', '--name-only', run.branch, 'docs/dev_docs/plans/')).toBe(steps.paths.plan)
    const kept = await run.git('for-each-ref', '--format=%(subject)', 'refs/baton/1/')
    expect(kept).toContain('ARCHITECT: plan, before another try')
  })
})

describe.concurrent('an agent that does not come to an end', () => {
  it('is stopped when it has printed nothing for its idle time, and started again (R001-129, R000-24)', async () => {
    // Time enough for the next call, which is honest, also on a slow machine.
    const workflow = { ...soon, 'idle: 5m': 'idle: 8s' }
    const run = await playPipeline({ workflow, roles: roles([hang, plan]) })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...afterAccidents('ARCHITECT called', 'ARCHITECT idle', 'idle, again after 10 ms'),
      ...reviewerIsGone,
    ])
  })

  it('is stopped when its time is over, however busy it is; the third time a person is asked (R001-129, R001-132)', async () => {
    const busy: Entry = { runs: [['sh', '-c', 'while :; do echo busy; sleep 0.1; done']] }
    const workflow = { ...soon, 'wall: 30m': 'wall: 1s' }
    const run = await playPipeline({ workflow, roles: { architect: [busy] } })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...givenUp(
        ...['ARCHITECT called', 'ARCHITECT timeout', 'timeout, again after 10 ms'],
        ...['ARCHITECT called', 'ARCHITECT timeout', 'timeout, again after 20 ms'],
        ...['ARCHITECT called', 'ARCHITECT timeout'],
        'answer refused for good: the agent took longer than 1 s (3 times)',
        'plan#1 failed timeout',
      ),
    ])
  })

  it('is killed if it ignores being asked to end, with what it has started (R000-25)', async () => {
    const child = await childOfAgent()
    const stubborn: Entry = { runs: [child.start], ends: { hang: true, stubborn: true } }
    const workflow = { ...soon, 'wall: 30m': 'wall: 8s' }
    const run = await playPipeline({ workflow, roles: roles([stubborn, plan]) })
    expect(sequence(run)).toEqual([
      ...steps.begin('direct'),
      ...afterAccidents('ARCHITECT called', 'ARCHITECT timeout', 'timeout, again after 10 ms'),
      ...reviewerIsGone,
    ])
    expect(await child.isAlive()).toBe(false)
  })

  it('leaves no process behind, not even one with a session of its own (R000-25, R001-16)', async () => {
    const child = await childOfAgent()
    const run = await playPipeline({ workflow: soon, roles: roles([{ ...plan, runs: [child.start] }]) })
    expect(sequence(run)).toEqual([...steps.begin('direct'), ...steps.plan(), ...reviewerIsGone])
    expect(await child.isAlive()).toBe(false)
  })
})

/** A command of an agent that leaves a process in a session of its own, and ends when that is there. */
async function childOfAgent(): Promise<{ start: string[]; isAlive: () => Promise<boolean> }> {
  const file = join(await makeFolder(), 'pid')
  const leaves = `setsid sh -c 'echo $$ > ${file}; exec sleep 300' > /dev/null 2>&1 &`
  const waits = `while [ ! -s ${file} ]; do sleep 0.02; done`
  return {
    start: ['sh', '-c', `${leaves} ${waits}`],
    isAlive: async () => isAlive(Number(await readFile(file, 'utf8'))),
  }
}

/** A process that has ended but was not collected by its parent yet is dead all the same. */
async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}
