// A goal under supervision with a real tool in all four roles; only the model is scripted.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startRun } from '../../src/cli/start-run.ts'
import { wordIn } from '../../src/agents/json-line.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { gitIn, makeRepository } from '../support/git.ts'
import { messagesIn, planOf, planStep } from '../support/goal-run.ts'
import { startModelServer } from '../support/model-servers/model-server.ts'
import type { Asked, Turn } from '../support/model-servers/model-server.ts'
import { linesOf } from '../support/run.ts'
import { toolPath } from './tools.ts'

const files = {
  'README.md': 'A small project.\n',
  'package.json': '{ "name": "sums", "type": "commonjs" }\n',
  '.baton/config.yaml':
    'workflow: supervised\nchecks: { tests: { command: [node, --test, test/] } }\nsandbox: required\n',
  'test/first.test.js': "require('node:test').test('it starts', () => {})\n",
}

const answer = (value: object): Turn => ({
  say: `Here it is.\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`,
})

const write = (path: string, text: string): Turn => ({ calls: [{ write: { path, text } }] })

const sumTest = `const { test } = require('node:test')
test('one and two are three', () => require('node:assert').equal(require('../src/sum.js').sum(1, 2), 3))
`

/** The first sum is wrong; what the tester has found comes back as feedback. */
function codes({ prompt, turn }: Asked): Turn | undefined {
  if (prompt.includes('"S2"'))
    return [
      write('docs/sum.md', 'sum(a, b) adds two numbers.\n'),
      answer({ status: 'done', summary: 'told', evidence: ['docs/sum.md'] }),
    ][turn]
  const sign = prompt.includes('<<<FEEDBACK') ? '+' : '-'
  return [
    write('src/sum.js', `exports.sum = (a, b) => a ${sign} b\n`),
    write('test/sum.test.js', sumTest),
    { calls: [{ shell: 'node --test test/ | tail -8' }] },
    answer({ status: 'done', summary: 'sum', evidence: ['src/sum.js'] }),
  ][turn]
}

/** It looks at the tests itself, and believes what it sees. */
function tries({ turn, outputs }: Asked): Turn | undefined {
  if (turn === 0) return { calls: [{ shell: 'node --test test/ | grep "^# fail"' }] }
  if (/# fail 0/.test(outputs.at(-1) ?? '')) return answer({ verdict: 'PASS', coverage: 'the sum is shown' })
  const fix = { place: 'src/sum.js:1', change: 'Add instead of subtracting.', check: 'node --test test/' }
  return answer({ verdict: 'FIX', coverage: 'the sum is shown', fix_plan: [fix] })
}

const plan = planOf(planStep('S1'), planStep('S2', { kind: 'docs', dependsOn: ['S1'] }))
const judgement = {
  ...{ score: 88, verified: true },
  points: [{ point: 'all of them', holds: true, evidence: 'the diff' }],
}

const parts: Readonly<Record<string, (asked: Asked) => Turn | undefined>> = {
  'You are the PLANNER.': () => answer(plan),
  'You are the CODER.': codes,
  'You are the TESTER.': tries,
  'You are the SUPERVISOR.': () => answer(judgement),
}

function plays(asked: Asked): Turn {
  const part = Object.entries(parts).find(([words]) => asked.prompt.includes(words))?.[1]
  return part?.(asked) ?? { say: 'There is nothing to do.' }
}

it(
  'R004-01, R004-05: a goal is planned, coded, tested, mended, judged and achieved by the real tool, behind walls',
  { timeout: 600_000 },
  async () => {
    await using server = await startModelServer('claude', plays)
    const repository = await makeRepository(files)
    const outcome = await startRun(
      {
        ...{ cwd: repository, clock: systemClock, interrupt: new AbortController().signal },
        onLine: () => undefined,
        env: { PATH: toolPath, HOME: join(repository, '.git'), ...server.env },
      },
      { task: 'It adds numbers, and says so.', mode: 'goal', inputs: {}, flags: {} },
    )
    const lines = await linesOf(outcome.folder.journal)
    expect(messagesIn(lines)).toMatchInlineSnapshot(`
      [
        "PLAN_REQUEST",
        "PLAN_RESPONSE",
        "VERIFY_REQUEST plan",
        "VERIFY_RESPONSE plan met 88",
        "CODE_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 88",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 FIX",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 88",
        "FIX_PLAN S1",
        "CODE_FIX_REQUEST S1",
        "CODE_RESPONSE S1 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 88",
        "TEST_REQUEST S1",
        "TEST_RESPONSE S1 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 88",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 88",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 88",
        "STEP_COMPLETE S1",
        "CODE_REQUEST S2",
        "CODE_RESPONSE S2 done",
        "VERIFY_REQUEST code",
        "VERIFY_RESPONSE code met 88",
        "TEST_REQUEST S2",
        "TEST_RESPONSE S2 PASS",
        "VERIFY_REQUEST test",
        "VERIFY_RESPONSE test met 88",
        "VERIFY_REQUEST step",
        "VERIFY_RESPONSE step met 88",
        "VERIFY_REQUEST progress",
        "VERIFY_RESPONSE progress met 88",
        "STEP_COMPLETE S2",
        "VERIFY_REQUEST goal",
        "VERIFY_RESPONSE goal met 88",
        "GOAL_COMPLETE",
      ]
    `)
    expect({ status: outcome.state.status, walls: lines[0]?.data['walls'] }).toEqual({
      status: 'delivered',
      walls: 'bubblewrap',
    })
    const trouble = ['agent.retried', 'answer.refused', 'person.asked']
    expect(lines.filter(({ type }) => trouble.includes(type))).toEqual([])
    const { branch } = outcome.state
    expect(await gitIn(repository, 'show', `${branch}:src/sum.js`)).toBe('exports.sum = (a, b) => a + b')
    expect(await gitIn(repository, 'show', `${branch}:docs/sum.md`)).toBe('sum(a, b) adds two numbers.')
    // R004-07, R004-13, R004-19, R004-25: each role with its own model.
    const models = server.asked.map(({ prompt, body }) => {
      const role = /You are the (\w+)\./.exec(prompt)?.[1] ?? ''
      return `${role} ${/opus|sonnet/.exec(wordIn(body, 'model'))?.[0] ?? ''}`
    })
    expect([...new Set(models)].toSorted()).toEqual([
      ...['CODER opus', 'PLANNER opus', 'SUPERVISOR sonnet', 'TESTER sonnet'],
    ])
  },
)
