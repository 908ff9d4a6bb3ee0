import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/model/json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { gitIn } from '../support/git.ts'
import {
  dataOf,
  edits,
  emitted,
  goal,
  plan,
  playMinimal,
  said,
  stats,
  task,
  tests,
} from '../support/minimal.ts'
import type { MinimalRun } from '../support/minimal.ts'

const T1 = 'work#1/T1'

describe('the example of the specification', () => {
  let played: Promise<MinimalRun> | undefined
  const example = (): Promise<MinimalRun> => (played ??= playMinimal())

  it('R003-01 to R003-03, R003-08, R003-25, R003-96: comes from the goal to tested code on a branch, with three agents', async () => {
    const run = await example()
    expect(run.state.reason).toBe('')
    expect(run.end).toMatchObject({ type: 'finished', exitCode: 0 })
    expect(dataOf(run, 'agent.started').map(({ step }) => step)).toEqual(['plan', 'code', 'report'])
    expect(await run.file('workspace/src/stats.py')).toBe(stats)
    expect((await gitIn(run.root, 'diff', '--name-only', 'main', run.state.branch)).split('\n')).toEqual([
      ...['runs/plan_0001.json', 'workspace/src/stats.py'],
    ])
  })

  it('R003-38, R003-74, R003-88, R003-93 to R003-95: takes the outputs byte by byte', async () => {
    const run = await example()
    expect(await run.kept('plan#1', 'answer.txt')).toBe(`${JSON.stringify(plan)}\n`)
    expect(await run.kept(`${T1}/code#1`, 'answer.txt')).toBe(
      `${JSON.stringify(edits(['src/stats.py', stats]))}\n`,
    )
    const [checked] = dataOf(run, 'check.finished')
    const output = outputOf(await run.kept(`${T1}/report#1`, 'prompt.md'))
    expect(checked).toMatchObject({ command: 'pytest -q', exit_code: 0, label: 'pass' })
    expect(output).toMatch(/^\.{5} +\[100%\]\n5 passed in [\d.]+s\n$/)
    expect(await run.kept(`${T1}/report#1`, 'answer.txt')).toBe(
      `${JSON.stringify({ task_id: 'T1', passed: true, report: output }, null, 2)}\n`,
    )
  })

  it('R003-09, R003-10, R003-11, R003-40 to R003-44: keeps the plan as a snapshot of its own', async () => {
    const snapshot = await (await example()).file('runs/plan_0001.json')
    expect(snapshot).toBe(`${JSON.stringify(plan, null, 2)}\n`)
  })

  it('R003-22, R003-31, R003-77 to R003-83: logs plan, patch and test result, each with ts, role, type and data', async () => {
    const run = await example()
    expect(emitted(run)).toEqual([
      { role: 'planner', type: 'plan', data: { plan_id: 'plan_0001', tasks: [task] } },
      { role: 'coder', type: 'patch', data: { task_id: 'T1', files: ['src/stats.py'] } },
      { role: 'tester', type: 'test_result', data: { task_id: 'T1', passed: true } },
    ])
    const times = run.lines.map(({ ts }) => ts)
    expect(times).toEqual(times.toSorted())
    expect(times.every((ts) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(ts))).toBe(true)
    for (const line of run.log.trimEnd().split('\n')) {
      expect(Object.keys(JSON.parse(line) as object)).toEqual(['ts', 'role', 'type', 'data'])
    }
  })

  it('R003-07, R003-23, R003-24, R003-33 to R003-35, R003-67: hands the planner its goal, a summary and the name of the plan', async () => {
    const run = await example()
    const prompt = await run.kept('plan#1', 'prompt.md')
    expect(inputOf(prompt)).toEqual({
      goal,
      repo_summary: [
        'src/__init__.py - empty',
        `tests/test_stats.py - ${tests.split('\n').length - 1} lines`,
        'kb/style.md - 3 lines: How we write Python',
      ].join('\n'),
      plan_id: 'plan_0001',
    })
    expect(Object.keys(inputOf(prompt))).toEqual(['goal', 'repo_summary', 'plan_id'])
  })

  it('R003-47 to R003-50, R003-69: hands the coder one task and the artifacts that exist', async () => {
    const run = await example()
    const input = inputOf(await run.kept(`${T1}/code#1`, 'prompt.md'))
    expect(input).toEqual({ task, context_files: [] })
    expect(Object.keys(input)).toEqual(['task', 'context_files'])
  })

  it('R003-29, R003-57 to R003-59, R003-73: hands the tester the task, the exit code and what the tests printed', async () => {
    const run = await example()
    const input = inputOf(await run.kept(`${T1}/report#1`, 'prompt.md'))
    expect(Object.keys(input)).toEqual(['task_id', 'pytest_exit_code', 'pytest_output'])
    expect(input).toMatchObject({ task_id: 'T1', pytest_exit_code: 0 })
  })

  it('R003-15: tells an agent nothing but its role, its input and the form of the answer', async () => {
    const run = await example()
    for (const visit of ['plan#1', `${T1}/code#1`, `${T1}/report#1`]) {
      const prompt = await run.kept(visit, 'prompt.md')
      expect([...prompt.matchAll(/^([A-Z]+):$/gm)].map(([, name]) => name)).toEqual([
        'CONTEXT',
        'INPUT',
        'FORMAT',
      ])
      expect(prompt).not.toContain(run.root)
      expect(prompt).not.toMatch(/worktree|branch/)
    }
  })

  it('R003-05, R003-16 to R003-18: gives each of them the common rules first', async () => {
    const prompt = await (await example()).kept('plan#1', 'prompt.md')
    expect(prompt).toMatch(/^You are one of three agents that never meet/)
    expect(prompt).toContain('No prose, no Markdown, no code fence')
    expect(prompt).toContain('Your whole response is one JSON object')
  })
})

describe('two tasks', () => {
  const second = {
    ...{ id: 'T2', title: 'Add a test', rationale: 'It is new', acceptance: 'maximum([1]) is 1' },
    artifacts: ['src/stats.py', 'tests/test_maximum.py'],
  }
  const more = `${stats}\n\ndef maximum(data):\n    return max(data)\n`
  const test = `${tests.split('\n').slice(0, 2).join('\n')}\nfrom src.stats import maximum\n\n\ndef test_maximum():\n    assert maximum([1]) == 1\n`

  it('R003-45, R003-68, R003-70 to R003-72, R003-75, R003-76: are coded, written and tested one after the other', async () => {
    const run = await playMinimal({
      planner: said({ plan_id: 'plan_0001', tasks: [task, second] }),
      coder: [
        said(edits(['src/stats.py', stats]), { when: { 'item.id': 'T1' } }),
        said(edits(['src/stats.py', more], ['tests/test_maximum.py', test]), { when: { 'item.id': 'T2' } }),
      ],
    })
    expect(run.state.reason).toBe('')
    expect(dataOf(run, 'step.finished').map(({ step }) => step)).toEqual([
      ...['plan', 'code', 'test', 'report', 'code', 'test', 'report', 'work'],
    ])
    const input = inputOf(await run.kept('work#1/T2/code#1', 'prompt.md'))
    expect(input['context_files']).toEqual([{ path: 'src/stats.py', content: stats }])
    expect(await run.file('workspace/tests/test_maximum.py')).toBe(test)
    expect(emitted(run).at(-2)?.data).toEqual({
      task_id: 'T2',
      files: ['src/stats.py', 'tests/test_maximum.py'],
    })
  })
})

describe('what goes wrong', () => {
  it('R003-32, R003-75, R003-92, C-45: a failing test ends the run, and the work stays to be looked at', async () => {
    const wrong = stats.replace('len(data)', 'len(data) + 1')
    const run = await playMinimal({ coder: [said(edits(['src/stats.py', wrong]))] })
    expect(run.end).toMatchObject({ exitCode: 1 })
    expect(run.state).toMatchObject({ status: 'failed' })
    expect(emitted(run).at(-1)).toEqual({
      role: 'tester',
      type: 'test_result',
      data: { task_id: 'T1', passed: false },
    })
    expect(await run.file('workspace/src/stats.py')).toBe(wrong)
    const words = dataOf(run, 'said').map(({ text }) => textOf(text))
    expect(words.some((text) => text.startsWith('T1 failed. Stopped for inspection: /'))).toBe(true)
    expect(await readdir(join(run.folder.steps, 'work.1', 'T1'))).toContain('report.1')
  })

  it.each(['planner', 'coder', 'tester'])(
    'R003-21, R003-46, R003-55, R003-66: an error object of the %s is an answer, and ends the run with its reason',
    async (role) => {
      const reason = 'src/models.py is not among the artifacts.'
      const error = said({ status: 'error', reason })
      const run = await playMinimal(role === 'planner' ? { planner: error } : { [role]: [error] })
      expect(run.end).toMatchObject({ exitCode: 1 })
      expect(run.state.reason).toBe(reason)
      expect(emitted(run).at(-1)).toEqual({ role, type: 'error', data: { status: 'error', reason } })
    },
  )

  it('R003-30, R003-60, C-42: a tester that says otherwise than the exit code is not believed', async () => {
    const wrong = stats.replace('len(data)', 'len(data) + 1')
    const run = await playMinimal({
      coder: [said(edits(['src/stats.py', wrong]))],
      tester: [{ answer: { task_id: '{item.id}', passed: true, report: '{test.cut}' }, as: 'bare' }],
    })
    expect(run.end).toMatchObject({ exitCode: 1 })
    expect(run.state.reason).toBe('answer: passed is true, not false')
    expect(emitted(run).at(-1)?.data).toEqual({ task_id: 'T1', passed: false })
  })
})

/** The JSON object under INPUT. */
function inputOf(prompt: string): JsonObject {
  const [, input = '{}'] = /^INPUT:\n([\s\S]*?)\n\nFORMAT:\n/m.exec(prompt) ?? []
  return JSON.parse(input) as JsonObject
}

function outputOf(prompt: string): string {
  return textOf(inputOf(prompt)['pytest_output'])
}
