// A run that was recorded is gone through once more: nothing is started, asked or paid for, and nothing of it is touched.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { replayRun } from '../../src/cli/replay-run.ts'
import { baton, refusalOf } from '../e2e/baton.ts'
import { changeScript, makeNodeProject, nodeWork } from '../support/change-project.ts'
import { gitIn } from '../support/git.ts'
import { playMinimal } from '../support/minimal.ts'
import { playPipeline } from '../support/pipeline.ts'
import { rolesProject } from '../support/roles-run.ts'
import type { Project } from '../support/roles-run.ts'
import { surroundingsOf } from '../support/run.ts'
import { scriptedBy, typeBaton } from '../support/type-verb.ts'
import { playWholeRun } from '../support/whole-run.ts'

const again = (root: string) => replayRun(surroundingsOf({ repository: root, env: { PATH: '' } }), undefined)

/** Every ref, the worktrees, the journal: what a replay must leave as it is. */
async function stateOf(root: string): Promise<string[]> {
  const refs = await gitIn(root, 'for-each-ref')
  const trees = await gitIn(root, 'worktree', 'list', '--porcelain')
  const objects = await gitIn(root, 'count-objects', '-v')
  return [refs, trees, objects, await readFile(join(root, '.baton/runs/1.log.jsonl'), 'utf8')]
}

function stepFile({ root }: Project, path: string): string {
  return join(root, '.baton', 'runs', '1', 'steps', path)
}

describe.concurrent('baton replay', () => {
  test('a pipeline with rejections, a failed audit and a merge conflict comes out the same, with no program at hand', async () => {
    const { root } = await playWholeRun()
    const before = await stateOf(root)
    expect(await again(root)).toEqual({
      ...{ run: '1', calls: 14, steps: 17 },
      end: { type: 'finished', outcome: 'ok', reason: '' },
    })
    expect(await stateOf(root)).toEqual(before)
  })

  test('a run that waits is followed up to its question, and the answer that came is not asked for again', async () => {
    const rejected = { answer: { verdict: 'REJECT', feedback: 'Too vague.' } }
    const waiting = await playPipeline({ mode: 'direct', roles: { plan_reviewer: [rejected] } })
    expect(waiting.end.type).toBe('waiting')
    expect((await again(waiting.root)).end).toMatchObject({
      type: 'open',
      at: expect.stringContaining('plan'),
    })
    const told = await waiting.tell('approve')
    expect((await again(told.root)).end).toMatchObject({ type: 'finished', outcome: 'ok' })
  })

  test('a change with its list of tasks, and files that the engine writes for an answer, come out the same', async () => {
    const repository = await makeNodeProject()
    const script = await scriptedBy(changeScript(nodeWork))
    const { code, stderr } = await typeBaton(repository, ['change', 'Round total', ...script])
    expect(code, stderr).toBe(0)
    expect((await again(repository)).end).toEqual({ type: 'finished', outcome: 'ok', reason: '' })
    const { root } = await playMinimal()
    expect((await again(root)).end).toMatchObject({ type: 'finished', outcome: 'ok' })
  })

  test('a run that failed fails again: a crash, an answer without JSON, files out of scope', async () => {
    const project = await rolesProject({
      roles: {
        one: 'retry: { max_attempts: 2, delay: 1ms }',
        two: 'repair: 1',
        three: 'may_write: ["docs/**"]',
      },
      script: `roles:
  one: [{ calls: [{ writes: { half.txt: "half" }, ends: { crash: true } }, { writes: { a.txt: "a" }, answer: { status: done } }] }]
  two: [{ calls: [{ prints: "no JSON here" }, { writes: { b.txt: "b" }, usage: { input: 3, output: 1 }, answer: { status: done } }] }]
  three: [{ writes: { src.txt: "not mine" }, answer: { status: done } }]
`,
    })
    const ended = await project.type('run')
    expect(ended.code, ended.stderr).toBe(1)
    const before = await stateOf(project.root)
    const { code, stdout } = await project.type('replay', '1', '--json')
    expect(code, stdout).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ same: true, calls: 5, outcome: 'failed' })
    expect(await stateOf(project.root)).toEqual(before)
    // Also once its worktree has been put away.
    expect((await project.type('clean', '1')).code).toBe(0)
    expect(await project.type('replay')).toMatchObject({ code: 0, stderr: '' })
  })

  test('says with exit code 1 what was first another than it was recorded', async () => {
    const project = await rolesProject({
      roles: { one: 'verdicts: { verdict: { PASS: ok, FAIL: failed } }' },
      script: 'roles: { one: [{ usage: { input: 1 }, answer: { verdict: PASS } }] }\n',
    })
    expect((await project.type('run')).code).toBe(0)
    const stream = stepFile(project, 'one_step.1/call-1/stream.jsonl')
    await writeFile(stream, (await readFile(stream, 'utf8')).replaceAll('PASS', 'FAIL'))
    expect(await project.type('replay', '1')).toEqual({
      ...{ code: 1, stderr: '' },
      stdout: `Run 1 is not as it was recorded: 'one_step#1/call/1' is another (1 step, 1 call of agents).
  where     answer.verdict
  recorded  PASS
  now       FAIL
`,
    })
  })

  test('says in two lines what is missing of a recording', async () => {
    const project = await rolesProject({
      roles: { one: '' },
      script: 'roles: { one: [{ usage: { input: 1 }, answer: { status: done } }] }\n',
    })
    expect((await project.type('run')).code).toBe(0)
    const stream = stepFile(project, 'one_step.1/call-1/stream.jsonl')
    await rm(stream)
    expect(refusalOf(await project.type('replay', '1'))).toEqual({
      error: `The recording of run 1 is not whole: ${stream} is missing.`,
      next: 'baton show 1   (a run can be replayed while its folder and its refs are there)',
    })
    expect(refusalOf(await baton(project.root, ['replay', '7'])).error).toContain("no run '7'")
  })

  test('a quota that ran out, and who played on, is followed as it was', async () => {
    const standIn =
      'providers: { standin: { command: [sh, -c, "cat > /dev/null; echo on > on.txt; echo {}"] } }\n'
    const project = await rolesProject({
      ...{ settings: standIn, roles: { one: 'fallback: standin', two: '' } },
      script: `roles:
  one: [{ fails: { error: quota, message: no more today, resets_in: 2h } }]
  two: [{ answer: { status: done } }]
`,
    })
    expect((await project.type('run', '--sandbox', 'off')).code).toBe(75)
    const { code, stdout } = await project.type('replay', '1', '--json')
    expect({ code, told: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 0,
      told: { same: true, calls: 3, open_at: 'two_step#1/call/1/quota' },
    })
  })
})
