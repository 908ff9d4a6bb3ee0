// Agents that claim what is not so. None of them gets through, and a person is told why.
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/model/json.ts'
import { gitIn } from '../support/git.ts'
import { answerLiars } from '../support/liars/answers.ts'
import { commitLiars } from '../support/liars/commits.ts'
import { fileLiars } from '../support/liars/files.ts'
import { resolved } from '../support/liars/honest.ts'
import type { Liar } from '../support/liars/liar.ts'
import { planAndReviewLiars } from '../support/liars/plans-and-reviews.ts'
import { playAgents } from '../support/liars/play-agents.ts'
import type { AgentsPlayed } from '../support/liars/play-agents.ts'
import { testLiars } from '../support/liars/tests.ts'

describe.concurrent('an agent that lies with its answer', () => {
  it.each(named(answerLiars))('is not believed when it %s', comesOut)
})

describe.concurrent('an agent that lies about a file', () => {
  it.each(named(fileLiars))('is not believed when it %s', comesOut)
})

describe.concurrent('an agent that lies about a commit', () => {
  it.each(named(commitLiars))('is not believed when it %s', comesOut)
})

describe.concurrent('an agent that lies about tests', () => {
  it.each(named(testLiars))('is not believed when it %s', comesOut)
})

describe.concurrent('an agent that lies in a plan, a checklist, a review or a merge', () => {
  it.each(named(planAndReviewLiars))('is not believed when it %s', comesOut)
})

describe.concurrent('the liars', () => {
  it('fail because they lie: honest agents reach the delivery of the same workflow', async () => {
    const run = await playAgents()
    expect(endsOf(run)).toEqual([
      'plan ok',
      'plan_review ok',
      'code ok',
      'review ok',
      'integrate ok',
      'deliver ok',
    ])
    expect(run.shown).not.toMatch(/NOT MET|not accepted|No usable answer/)
    expect(run.state.status).toBe('delivered')
  })

  it('and so do they where a conflict has to be resolved', async () => {
    const [conflict] = planAndReviewLiars.filter(({ later }) => later)
    const run = await playAgents(conflict && { ...conflict, does: resolved })
    expect(endsOf(run)).toEqual([
      'code ok',
      'review ok',
      'integrate revise conflict',
      'resolve ok',
      'deliver ok',
    ])
  })

  it('are at least fifty, each by a name of its own', () => {
    const names = [answerLiars, fileLiars, commitLiars, testLiars, planAndReviewLiars]
      .flat()
      .map(({ name }) => name)
    const list = `${names.length} liars:\n${names.join('\n')}\n`
    expect(names.length, list).toBeGreaterThanOrEqual(50)
    expect(new Set(names).size, list).toBe(names.length)
  })
})

function named(liars: readonly Liar[]): [name: string, liar: Liar][] {
  return liars.map((liar) => [liar.name, liar])
}

/** The lie is not believed, a person reads why, and what it left behind is neither lost nor in the way. */
async function comesOut(_name: string, liar: Liar): Promise<void> {
  const run = await playAgents(liar)
  expect(run.shown).toMatch(liar.says)
  if (liar.ends === 'repaired') expectRepaired(run, liar)
  else expectStopped(run, liar)
  await expectTidy(run)
  if (liar.ends.startsWith('failed ')) await expectUndone(run, liar)
}

/** The step that the lie was for is the last that ran, and the reason stands where a person looks first. */
function expectStopped(run: AgentsPlayed, { step, ends }: Liar): void {
  expect(endsOf(run).at(-1)).toBe(`${step} ${ends}`)
  expect(run.state.status).toBe('failed')
  expect(run.end.exitCode).not.toBe(0)
  expect(run.shown).toMatch(/^ {2}status +failed: \S/m)
}

/** What counts is a second call. */
function expectRepaired(run: AgentsPlayed, { step }: Liar): void {
  const answers = run.lines.filter(({ type }) => type === 'answer.refused' || type === 'answer.accepted')
  expect(answers.map(({ type, data }) => `${textOf(data['step'])} ${textOf(data['call'])} ${type}`)).toEqual([
    `${step} 1 answer.refused`,
    `${step} 2 answer.accepted`,
  ])
  expect(endsOf(run)).toEqual([`${step} ok`])
}

/** Nothing lies about in the worktree, and the branch of everybody else is as it was. */
async function expectTidy({ root, main, state }: AgentsPlayed): Promise<void> {
  expect(await gitIn(state.worktree, 'status', '--porcelain')).toBe('')
  expect(await gitIn(root, 'status', '--porcelain')).toBe('')
  expect(await gitIn(root, 'rev-parse', 'main')).toBe(main)
}

/** A step that failed has no effect on the branch, and what it did can be looked at. */
async function expectUndone({ root, start, state }: AgentsPlayed, { keeps }: Liar): Promise<void> {
  expect(await gitIn(root, 'rev-parse', state.branch)).toBe(start)
  if (keeps === undefined) return
  const kept = await gitIn(root, 'log', '--format=', '--name-only', '--glob=refs/baton', `^${start}`)
  expect(kept.split('\n')).toContain(keeps)
}

/** Every step that has ended, in order. */
function endsOf({ state }: AgentsPlayed): string[] {
  return state.steps.map(({ step, outcome, label }) =>
    `${step} ${outcome} ${outcome === 'ok' ? '' : label}`.trimEnd(),
  )
}
