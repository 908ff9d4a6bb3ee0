// How tests end, with a real pytest; and what becomes of what they print.
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import { findExecutable } from '../../src/platform/executable.ts'
import { makeFolder } from '../support/git.ts'
import { dataOf, edits, emitted, playMinimal, said, stats, tests } from '../support/minimal.ts'
import type { MinimalPlay, MinimalRun } from '../support/minimal.ts'

const noTests = { 'workspace/tests/test_stats.py': '' }

describe('pytest ends with', () => {
  const cases: readonly { code: number; what: string; play: MinimalPlay; passed: boolean }[] = [
    {
      code: 1,
      what: 'a test that fails',
      play: { coder: [said(edits(['src/stats.py', stats.replace('len(data)', 'len(data) + 1')]))] },
      passed: false,
    },
    {
      code: 2,
      what: 'a test file that cannot be read',
      play: { coder: [said(edits(['src/stats.py', 'def get_user_stats(data:\n']))] },
      passed: false,
    },
    {
      code: 3,
      what: 'an error of its own',
      play: {
        files: {
          'workspace/conftest.py': 'def pytest_collection_modifyitems():\n    raise RuntimeError("broken")\n',
        },
      },
      passed: false,
    },
    {
      code: 4,
      what: 'an option that it does not know',
      play: { files: { 'workspace/pytest.ini': '[pytest]\naddopts = --no-such-option\n' } },
      passed: false,
    },
    {
      code: 5,
      what: 'no tests, where that counts',
      play: { files: noTests, inputs: { on_no_tests: 'fail' } },
      passed: false,
    },
  ]

  it.each(cases)(
    'R003-28, R003-60: $code, $what: the tester is told, and the run ends',
    async ({ code, play, passed }) => {
      const run = await playMinimal(play)
      expect(dataOf(run, 'check.finished')).toMatchObject([{ command: 'pytest -q', exit_code: code }])
      expect(inputOf(await run.kept('work#1/T1/report#1', 'prompt.md'))).toMatchObject({
        pytest_exit_code: code,
      })
      expect(emitted(run).at(-1)?.data).toEqual({ task_id: 'T1', passed })
      expect(run.end).toMatchObject({ exitCode: 1 })
    },
  )

  it('C-41: 5, no tests yet: the run says so and goes on', async () => {
    const run = await playMinimal({ files: noTests })
    expect(dataOf(run, 'check.finished')).toMatchObject([{ exit_code: 5, label: 'no_tests' }])
    expect(dataOf(run, 'said').map(({ text }) => text)).toContain('T1: there are no tests yet.')
    expect(emitted(run).at(-1)?.data).toEqual({ task_id: 'T1', passed: false, reason: 'no_tests' })
    expect(run.end).toMatchObject({ exitCode: 0 })
  })
})

describe('tests that are not run', () => {
  const ended = (run: MinimalRun): [string, JsonObject | undefined] => [
    run.state.reason,
    emitted(run).at(-1)?.data,
  ]

  it('R003-89: because they take too long end the run with the reason', async () => {
    const files = { '.baton/config.yaml': 'checks: { tests: { command: [sleep, "600"], timeout: 1s } }\n' }
    const run = await playMinimal({ files })
    const reason = "'sleep 600': it ended by timeout"
    expect(ended(run)).toEqual([reason, { status: 'error', reason }])
    expect(run.end).toMatchObject({ exitCode: 1 })
  })

  it('R003-27: because there is no pytest end the run with the reason', async () => {
    const bin = join(await makeFolder(), 'bin')
    await mkdir(bin)
    for (const program of ['git', 'sh', 'env', 'cat', 'node'])
      await symlink(placeOf(program), join(bin, program))
    const run = await playMinimal({ env: { PATH: bin } })
    const reason = "'pytest -q': 'pytest' was not found"
    expect(ended(run)).toEqual([reason, { status: 'error', reason }])
  })
})

describe('what the tests print', () => {
  const printing = (command: string): MinimalPlay => ({
    files: { '.baton/config.yaml': `checks: { tests: { command: [sh, -c, '${command}'] } }\n` },
  })
  const head = 'x'.repeat(2500)

  it('R003-61, R003-65, R003-90: comes whole to the tester, errors last, and shortened into the report', async () => {
    const run = await playMinimal(printing(`head -c 4002 /dev/zero | tr "\\0" x; printf "é\\n" >&2`))
    const { pytest_output: output } = inputOf(await run.kept('work#1/T1/report#1', 'prompt.md'))
    expect(output).toBe(`${'x'.repeat(4002)}é\n`)
    const answer = JSON.parse(await run.kept('work#1/T1/report#1', 'answer.txt')) as JsonObject
    expect(answer['report']).toBe(`${head}\n...\n${'x'.repeat(998)}é\n`)
    expect(run.end).toMatchObject({ exitCode: 0 })
  })

  // Two, three and four bytes at both cuts: of 4001 characters the middle 501 go.
  const marks = { 2499: 'é', 2500: '😀', 3000: 'ß', 3001: '漢', 3002: '😀' }
  it.each([
    [3999, false],
    [4000, false],
    [4001, true],
  ])(
    'R003-62, R003-63: may have %d characters, of several bytes at the cuts: shortened is %s',
    async (length, isCut) => {
      const text = Array.from({ length }, (_, at) => marks[at as keyof typeof marks] ?? 'x')
      const files = {
        'workspace/printed.txt': text.join(''),
        '.baton/config.yaml': 'checks: { tests: { command: [cat, printed.txt] } }\n',
      }
      const run = await playMinimal({ files })
      const answer = JSON.parse(await run.kept('work#1/T1/report#1', 'answer.txt')) as JsonObject
      const shortened = `${text.slice(0, 2500).join('')}\n...\n${text.slice(-1000).join('')}`
      expect(answer['report']).toBe(isCut ? shortened : text.join(''))
      expect(run.end).toMatchObject({ exitCode: 0 })
    },
  )

  it('R003-62, R003-63: may be very much: beginning and end are exact', async () => {
    const run = await playMinimal(
      printing(`printf start; head -c 3000000 /dev/zero | tr "\\0" y; printf end`),
    )
    const answer = JSON.parse(await run.kept('work#1/T1/report#1', 'answer.txt')) as JsonObject
    expect(answer['report']).toBe(`start${'y'.repeat(2495)}\n...\n${'y'.repeat(997)}end`)
    expect(run.end).toMatchObject({ exitCode: 0 })
  })
})

describe('tests of the project', () => {
  it('R003-52, C-41: that exist are not changed: the whole answer is refused, and nothing of it is written', async () => {
    const run = await playMinimal({
      planner: said({
        plan_id: 'plan_0001',
        tasks: [
          {
            ...{ id: 'T1', title: 'a', rationale: 'b', acceptance: 'c' },
            artifacts: ['src/stats.py', 'tests/test_stats.py'],
          },
        ],
      }),
      coder: [said(edits(['src/stats.py', stats], ['tests/test_stats.py', 'def test(): pass\n']))],
    })
    expect(run.state.reason).toContain("'tests/test_stats.py' is a test that exists already")
    expect(await run.file('workspace/tests/test_stats.py')).toBe(tests)
    expect(await run.file('workspace/src/stats.py')).toBe('')
  })
})

function inputOf(prompt: string): JsonObject {
  const [, input = '{}'] = /^INPUT:\n([\s\S]*?)\n\nFORMAT:\n/m.exec(prompt) ?? []
  return JSON.parse(input) as JsonObject
}

function placeOf(program: string): string {
  return findExecutable(program, { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }) ?? program
}
