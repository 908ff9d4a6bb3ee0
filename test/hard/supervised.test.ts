// A goal under supervision with real processes, real git and the command line.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baton, documentOf } from '../e2e/baton.ts'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'

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

async function project(): Promise<{ root: string; args: string[] }> {
  const root = await makeRepository({ 'package.json': '{ "scripts": { "test": "node --test" } }\n' })
  const folder = await makeFolder()
  await writeFiles(folder, { 'script.yaml': script })
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
    expect(documentOf(await baton(root, ['show', '1', '--json']))).toMatchObject({
      state: { status: 'completed' },
    })
  })

  test('out of time it stops with exit code 4 and a report, and goes on with more', async () => {
    const { root, args } = await project()
    const short = await baton(root, ['goal', 'Two functions', '--time-limit', '1ms', ...args])
    expect(short.code).toBe(4)
    await readFile(join(root, '.baton/runs/1/report.md'), 'utf8')
    const more = await baton(root, ['resume', '1', '--time-limit', '2h'])
    expect({ code: more.code, stderr: more.stderr }).toEqual({ code: 0, stderr: '' })
    expect(more.stdout).toContain('Goal achieved')
  })
})
