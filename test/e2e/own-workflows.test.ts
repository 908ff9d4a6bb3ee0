// Workflows that nobody wrote for the specification, run from .baton/ with no code changed (R001-134, R001-135).
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { gitIn, makeRepository } from '../support/git.ts'
import { baton, documentOf, journalOf, scriptBeside } from './baton.ts'

const twoEyes = `# Issue 01, must show 4: two reviewers in turn, then a person. As a user would write it.
name: two-eyes
inputs: { task: { required: true } }
defaults: { provider: claude, on: { failed: ask, blocked: ask } }
roles:
  writer:   { prompt: writer.md, capabilities: [read, edit, shell, commit], may_write: ["**"], commits: agent }
  security: { prompt: security.md, capabilities: [read], verdicts: { verdict: { PASS: ok, FAIL: revise } } }
  style:    { prompt: style.md, capabilities: [read], verdicts: { verdict: { PASS: ok, FAIL: revise } } }
steps:
  - id: write
    agent: writer
    reads: [security, style, person]
    gates: [commit_is_new, tests_pass]
    on: { revise: { to: write, limit: 2, then: ask } }
  - id: security
    agent: security
    reads: [diff]
    on: { revise: { to: write, limit: 3, then: ask } }
  - id: style
    agent: style
    reads: [diff]
    on: { revise: { to: write, limit: 3, then: ask } }
  - id: person
    ask: "Merge '{branch}'?"
    on: { revise: { to: write, limit: 9, then: fail } }
  - { id: deliver, do: deliver }
`

const twoEyesScript = `roles:
  writer:
    - expects: ["You write code that is read often."]
      writes: { greeting.txt: "hello, password123\\n" }
      commits: "feat: greet"
      answer: { status: success }
    - expects: ["there is a password in it"]
      writes: { greeting.txt: "hello\\n" }
      commits: "fix: no password"
      answer: { status: success }
    - expects: ["say who is greeted"]
      writes: { greeting.txt: "hello, world\\n" }
      commits: "feat: greet the world"
      answer: { status: success }
  security:
    - expects: ["Look for secrets.", "diff.patch"]
      answer: { verdict: FAIL, feedback: "there is a password in it" }
    - answer: { verdict: PASS }
  style:
    - expects: ["Short words."]
      answer: { verdict: PASS }
`

test('R001-134: two reviewers in turn, then a person: a finding, a rejection and an approval each go their way', async () => {
  const root = await makeRepository({
    'README.md': 'hello\n',
    '.baton/config.yaml': 'checks: { tests: { command: [test, -s, greeting.txt] } }\n',
    '.baton/workflows/two-eyes.yaml': twoEyes,
    '.baton/prompts/writer.md': 'You write code that is read often.\n',
    '.baton/prompts/security.md': 'Look for secrets.\n',
    '.baton/prompts/style.md': 'Short words.\n',
  })
  const script = await scriptBeside(root, twoEyesScript)
  const flags = ['--workflow', 'two-eyes', '--provider', 'scripted', '--script', script, '--json']
  const asked = documentOf(await baton(root, ['run', 'Add a greeting', ...flags]))
  expect(asked).toMatchObject({ outcome: 'waiting', question: "Merge 'task/1-greeting'?" })
  expect((await baton(root, ['reject', '1', 'say who is greeted'])).code).toBe(0)
  expect(documentOf(await baton(root, ['resume', '--json']))).toMatchObject({ outcome: 'waiting' })
  expect((await baton(root, ['approve', '1'])).code).toBe(0)
  expect(documentOf(await baton(root, ['resume', '--json']))).toMatchObject({ outcome: 'delivered' })

  const { steps } = documentOf(await baton(root, ['show', '--json']))
  expect(steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    ...['write ok', 'security revise', 'write ok', 'security ok', 'style ok', 'person revise'],
    ...['write ok', 'security ok', 'style ok', 'person ok', 'deliver ok'],
  ])
  expect(await gitIn(root, 'show', 'task/1-greeting:greeting.txt')).toBe('hello, world')
  expect(await gitIn(root, 'log', '--reverse', '--format=%s', 'main..task/1-greeting')).toBe(
    ['feat: greet', 'fix: no password', 'feat: greet the world'].join('\n'),
  )
})

const parts = `name: parts
description: A planner's list one part at a time, then checks, and a fragment that mends what they find.
inputs: { task: { required: true } }
defaults: { retry: { max_attempts: 1 }, on: { failed: ask } }
roles:
  planner: { prompt: any.md, capabilities: [read] }
  builder: { prompt: any.md, capabilities: [read, edit], may_write: ["src/"], commits: engine }
  mender:  { prompt: any.md, capabilities: [read, edit], may_write: ["src/"], commits: engine }
steps:
  - { id: plan, agent: planner }
  - id: parts
    each: plan.parts
    says: { ok: "Part {item.id} is built." }
    steps:
      - { id: build, agent: builder, with: { part: "{item}" } }
  - id: inspect
    check: [lint, layout]
    on: { fail: { call: mend, limit: 2, then: ask } }
  - { id: deliver, do: deliver }
fragments:
  mend:
    - { id: repair, agent: mender, with: { output: "{inspect.output}" } }
    - { id: inspect_again, check: lint }
`

const partsScript = `roles:
  planner:
    - answer: { parts: [{ id: roof, depends_on: [walls] }, { id: walls }, { id: floor, depends_on: [] }] }
  builder:
    - when: { item.id: walls }
      writes: { src/walls.txt: "walls\\n" }
      answer: { status: success }
    - when: { item.id: roof }
      expects_file: [src/walls.txt]
      writes: { src/roof.txt: "TODO\\n" }
      answer: { status: success }
    - when: { item.id: floor }
      expects: ['"id": "floor"']
      writes: { src/floor.txt: "floor\\n" }
      answer: { status: success }
  mender:
    - expects: ["src/roof.txt:1:TODO"]
      writes: { src/roof.txt: "roof\\n" }
      answer: { status: success }
`

test("a planner's list in the order of its dependencies, checks from the settings, and a fragment that mends", async () => {
  const root = await makeRepository({
    'README.md': 'hello\n',
    '.baton/config.yaml': `provider: scripted
workflow: parts
checks:
  lint: { command: [sh, -c, "! grep -rn TODO src"] }
  layout: { command: [test, -f, src/walls.txt] }
`,
    '.baton/workflows/parts.yaml': parts,
    '.baton/prompts/any.md': 'Do your part.\n',
  })
  const script = await scriptBeside(root, partsScript)
  const ended = await baton(root, ['run', 'Build the house', '--script', script, '--json'])
  expect(documentOf(ended)).toMatchObject({ outcome: 'delivered' })
  expect(ended.stderr).toMatch(/Part walls is built\.[\s\S]*Part roof is built\.[\s\S]*Part floor is built\./)
  const facts = await journalOf(root)
  const checked = facts.filter(({ type }) => type === 'check.finished').map(({ data }) => data)
  expect(checked).toMatchObject([
    { step: 'inspect', check: 'lint', label: 'fail', exit_code: 1 },
    { step: 'inspect', check: 'layout', label: 'pass', exit_code: 0 },
    { step: 'inspect_again', check: 'lint', label: 'pass', exit_code: 0 },
  ])
  expect(await readFile(String(checked[0]?.['log']), 'utf8')).toBe('src/roof.txt:1:TODO\n')
  expect(await gitIn(root, 'show', 'task/1-house:src/roof.txt')).toBe('roof')
})
