// Notes of the project, and tests that are not pytest's.
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/model/json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { goal, playMinimal, said, task } from '../support/minimal.ts'

const T1 = 'work#1/T1'
const style = '# How we write Python\n\nPlainly.\n'

describe('a note under kb/', () => {
  it('R003-07, C-44: comes as a whole to the planner whose goal names it, and to the coder whose task does', async () => {
    const named = { ...task, rationale: 'Small, and written as kb/style.md says.' }
    const run = await playMinimal({
      files: { 'kb/other.md': '# Not asked for\n' },
      task: `${goal}. Keep to kb/style.md.`,
      planner: said({ plan_id: 'plan_0001', tasks: [named] }),
    })
    expect(run.state.reason).toBe('')
    const summary = inputOf(await run.kept('plan#1', 'prompt.md'))['repo_summary']
    expect(textOf(summary).split('\n').slice(2)).toEqual([
      ...['kb/other.md - 1 line: Not asked for', 'kb/style.md - 3 lines: How we write Python'],
      ...['    # How we write Python', '    ', '    Plainly.'],
    ])
    const { context_files: files } = inputOf(await run.kept(`${T1}/code#1`, 'prompt.md'))
    expect(files).toEqual([{ path: 'kb/style.md', content: style }])
  })

  it('R003-51: can be read and not written', async () => {
    const run = await playMinimal({
      planner: said({ plan_id: 'plan_0001', tasks: [task] }),
      coder: [said({ edits: [{ path: 'kb/style.md', content: 'Wildly.\n' }] })],
    })
    expect(run.end).toMatchObject({ exitCode: 1 })
    expect(await run.file('kb/style.md')).toBe(style)
  })
})

describe('the keys of a test result', () => {
  const other = { '.baton/config.yaml': 'checks: { tests: { command: [sh, -c, "echo fine"] } }\n' }

  it.each([
    [
      'R003-58, R003-59, C-38: are named after tests where other tests are run and the input says so',
      'test',
      other,
      'test',
    ],
    ['R003-58, C-38: are those of pytest where nobody says otherwise', 'pytest', other, 'pytest'],
    ['C-38: are those of pytest where it is pytest that runs', 'test', {}, 'pytest'],
  ])('%s', async (_title, keys, files, expected) => {
    const run = await playMinimal({ files, inputs: { result_keys: keys } })
    expect(run.end).toMatchObject({ exitCode: 0 })
    const prompt = await run.kept(`${T1}/report#1`, 'prompt.md')
    expect(Object.keys(inputOf(prompt))).toEqual(['task_id', `${expected}_exit_code`, `${expected}_output`])
    expect(prompt).toContain(`- \`${expected}_exit_code\``)
  })
})

function inputOf(prompt: string): JsonObject {
  const [, input = '{}'] = /^INPUT:\n([\s\S]*?)\n\nFORMAT:\n/m.exec(prompt) ?? []
  return JSON.parse(input) as JsonObject
}
