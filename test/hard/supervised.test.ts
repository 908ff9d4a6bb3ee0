// A goal under supervision with real processes, real git and the command line.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baton, documentOf } from '../e2e/baton.ts'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import { linesOf } from '../support/run.ts'

const test1 = (name: string): string => `const { test } = require('node:test')\\ntest('${name}', () => {})\\n`

/** Two steps; the first attempt at the second one brings no test and is sent back. */
const script = `
roles:
  planner:
    - answer:
        goal: Two functions.
        analysis: There is one.
        steps:
          - { id: S1, description: Add b, complexity: simple, kind: code, dependsOn: [], acceptance: b is there }
          - { id: S2, description: Add c, complexity: simple, kind: code, dependsOn: [S1], acceptance: c is there }
  supervisor:
    - answer: { score: 90, verified: true, points: [{ point: all, holds: true, evidence: "src/b.js:1" }] }
  coder:
    - writes: { src/b.js: "exports.b = 1\\n", test/b.test.js: "${test1('b')}" }
      answer: { status: done, summary: b, files: [src/b.js] }
    - writes: { src/c.js: "exports.c = 1\\n" }
      answer: { status: done, summary: c, files: [src/c.js] }
    - writes: { src/c.js: "exports.c = 2\\n", test/c.test.js: "${test1('c')}" }
      answer: { status: done, summary: c with its test, files: [src/c.js, test/c.test.js] }
  tester:
    - answer: { verdict: PASS, coverage: both files read }
`

/** The first step is too large for its coder: half of it is planned, and done, in a plan of its own. */
const withSubPlan = `
steps:
  plan:
    - expects: [errors name the line]
      answer:
        goal: Two functions.
        analysis: There is none.
        steps:
          - { id: S1, description: Add b, complexity: complex, kind: code, dependsOn: [], acceptance: b is there }
          - { id: S2, description: Add c, complexity: simple, kind: code, dependsOn: [S1], acceptance: c is there }
  replan:
    - expects: [b is two things]
      answer:
        goal: b.
        analysis: It is two things.
        steps: [{ id: S1a, description: Half of b, complexity: simple, kind: code, acceptance: half is there }]
  code:
    - { when: { item.id: S1 }, answer: { status: blocked, reason: b is two things } }
    - when: { item.id: S1a }
      writes: { src/b.js: "exports.b = 1\\n", test/b.test.js: "${test1('b')}" }
      usage: { input: 1000, cached: 0, output: 100, cost: 0.5 }
      answer: { status: done, summary: b, evidence: [src/b.js] }
    - when: { item.id: S2 }
      writes: { src/c.js: "exports.c = 1\\n", test/c.test.js: "${test1('c')}" }
      answer: { status: done, summary: c, evidence: [src/c.js] }
roles:
  tester: [{ answer: { verdict: PASS, coverage: all of it } }]
  supervisor:
    - when: { gate: goal }
      expects: [errors name the line]
      answer: { score: 90, verified: true, points: [{ point: all, holds: true, evidence: "src/b.js:1" }] }
    - answer: { score: 90, verified: true, points: [{ point: all, holds: true, evidence: "src/b.js:1" }] }
`

/** Whatever the coder does, the supervisor is not content. */
const neverContent = `
roles:
  planner:
    - answer:
        goal: One function.
        analysis: There is none.
        steps:
          - { id: S1, description: Add b, complexity: simple, kind: code, dependsOn: [], acceptance: b is there }
          - { id: S2, description: Add c, complexity: simple, kind: code, dependsOn: [S1], acceptance: c is there }
  supervisor:
    - when: { gate: plan }
      answer: { score: 90, verified: true, points: [{ point: all, holds: true, evidence: the plan }] }
    - when: { gate: code }
      answer: { score: 55, verified: true, feedback: not this, points: [{ point: all, holds: true, evidence: "src/b.js:1" }] }
  coder:
    - writes: { "src/b{n}.js": "exports.b = 1\\n", "test/b{n}.test.js": "${test1('b')}" }
      answer: { status: done, summary: b, files: [src/b.js] }
`

async function project(played = script): Promise<{ root: string; args: string[] }> {
  const root = await makeRepository({ 'package.json': '{ "scripts": { "test": "node --test" } }\n' })
  const folder = await makeFolder()
  await writeFiles(folder, { 'script.yaml': played })
  return { root, args: ['--provider', 'scripted', '--script', join(folder, 'script.yaml')] }
}

describe('baton goal', () => {
  test('plans, works, is judged, and leaves branch and report', async () => {
    const { root, args } = await project()
    const ended = await baton(root, ['goal', 'Two functions', ...args])
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('Gate tests_included not met')
    expect(ended.stdout).toContain('The goal is met (score 90).')
    expect(ended.stdout).toContain('ORCHESTRATOR: Goal achieved.')
    const files = await gitIn(root, 'ls-tree', '-r', '--name-only', 'task/1-two-functions')
    expect(files.split('\n')).toEqual(expect.arrayContaining(['src/b.js', 'src/c.js', 'test/c.test.js']))
    const report = await readFile(join(root, '.baton/runs/1/report.md'), 'utf8')
    expect(report).toContain('Two functions')
    const judge = join(root, '.baton/runs/1/steps/execute.1/S2/progress.1/judge/progress/call-1')
    const diff = await readFile(join(judge, 'diff.patch'), 'utf8')
    // S1 was judged when it was done.
    expect({ S1: diff.includes('src/b.js'), S2: diff.includes('src/c.js') }).toEqual({ S1: false, S2: true })
    expect(await readFile(join(judge, 'prompt.md'), 'utf8')).toContain('all changes since the item began')
    expect(documentOf(await baton(root, ['show', '1', '--json']))).toMatchObject({
      state: { status: 'completed' },
    })
  })

  test('out of time it stops with exit code 4 and a report, and goes on with more', async () => {
    const { root, args } = await project()
    const short = await baton(root, ['goal', 'Two functions', '--time-limit', '1ms', ...args])
    expect(short.code).toBe(4)
    expect(short.stdout).toContain('Go on: baton resume 1 --time-limit 2h')
    await readFile(join(root, '.baton/runs/1/report.md'), 'utf8')
    const more = await baton(root, ['resume', '1', '--time-limit', '2h'])
    expect({ code: more.code, stderr: more.stderr }).toEqual({ code: 0, stderr: '' })
    expect(more.stdout).toContain('Goal achieved')
  })

  test('gives a step a sub-plan where its coder asks for one, knows its parts, and tells of all in report and state (R004-23, R004-34, R004-107)', async () => {
    const { root, args } = await project(withSubPlan)
    const ended = await baton(root, ['goal', 'Two functions', '--sub-goal', 'errors name the line', ...args])
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' })
    const files = await gitIn(root, 'ls-tree', '-r', '--name-only', 'task/1-two-functions')
    expect(files.split('\n')).toEqual(expect.arrayContaining(['src/b.js', 'src/c.js']))
    expect((await baton(root, ['show', '1'])).stdout).toMatch(/ S1: code [^]* S1a: code [^]* S2: code /)
    const report = await readFile(join(root, '.baton/runs/1/report.md'), 'utf8')
    expect(report).toContain('> Two functions\n\n- errors name the line\n\nStatus: completed\n')
    expect(report).toContain('Branch: `task/1-two-functions`, to be merged into `main`')
    expect(ended.stdout).toMatch(/Sub-plan made\.[^]*Step S1a: Half of b[^]*Step S1a completed\./)
    expect(report).toMatch(/- \*\*S1\*\* Add b: completed[^]*- \*\*S1a\*\* Half of b: completed/)
    expect(report).toMatch(/## Cost\n[^]*\| CODER \| 3 \| 1,000 \+ \? \|/)
    expect(documentOf(await baton(root, ['show', '1', '--json']))).toMatchObject({
      state: {
        status: 'completed',
        metrics: { totalSteps: 3, completedSteps: 3, failedSteps: 0, replanCount: 1 },
        plans: [
          { steps: [{ id: 'S1', subSteps: [{ id: 'S1a', depth: 1, parentStepId: 'S1' }] }, { id: 'S2' }] },
        ],
      },
    })
  })

  test('is aborted once a plan from scratch has led to the same, with all that it was told on the way (R004-43, R004-116 to R004-121, C-54)', async () => {
    const { root, args } = await project(neverContent)
    const ended = await baton(root, ['goal', 'One function', ...args])
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('ORCHESTRATOR: Aborted.')
    for (const words of [
      'Gate code judged not met: score 55.',
      'Supervision: CORRECT after gate code (score 55, 2 in a row not met).',
      "ABORT: all work is broken off, on with 'plan'.",
    ])
      expect(ended.stdout).toContain(words)
    const lines = await linesOf(join(root, '.baton/runs/1.log.jsonl'))
    const levels = lines.filter(({ type }) => type === 'level.raised').map(({ data }) => data['level'])
    const round = ['REMIND', 'CORRECT', 'REFOCUS', 'CRITICAL', 'ABORT']
    expect(levels).toEqual([...round, ...round])
    const routed = lines.filter(({ type }) => type === 'level.routed').map(({ data }) => data['to'])
    expect(routed).toEqual(['plan', 'fail'])
    expect(documentOf(await baton(root, ['show', '1', '--json']))).toMatchObject({
      state: { status: 'aborted', iteration: 2, metrics: { verificationsFailed: 10 } },
    })
    expect(await readFile(join(root, '.baton/runs/1/report.md'), 'utf8')).toContain('Status: aborted')
    // What was done until then is kept, on its branch.
    expect(await gitIn(root, 'show', 'task/1-one-function:src/b1.js')).toBe('exports.b = 1')
  })

  test('killed right after its last fact has its report all the same, and nothing half removed, once it is resumed (R004-107)', async () => {
    const tiny = `name: tiny
inputs: { goal: { required: true } }
state: { start: begun, status: {}, ends: { ok: done, else: failed }, metrics: {}, item: {} }
steps: [{ id: look, check: tests }]
`
    const root = await makeRepository({
      '.baton/workflows/tiny.yaml': tiny,
      '.baton/config.yaml': 'workflow: tiny\nchecks: { tests: { command: ["true"] } }\n',
    })
    expect((await baton(root, ['run', 'Look'])).code).toBe(0)
    const run = join(root, '.baton/runs/1')
    const report = await readFile(join(run, 'report.md'), 'utf8')
    await rm(join(run, 'report.md'))
    const dead = { pid: 1, startedAt: 'then', host: hostname() }
    await writeFiles(run, { lock: JSON.stringify(dead), 'git/private/look-1.7-abc.tmp/HEAD': 'x' })
    expect((await baton(root, ['resume'])).stderr).toContain('Run 1 has ended (delivered)')
    expect(await readFile(join(run, 'report.md'), 'utf8')).toBe(report)
    expect(await readdir(join(run, 'git/private'))).toEqual([])
    await expect(stat(join(run, 'lock'))).rejects.toThrow('ENOENT')
  })
})
