// A run that waits for a person, answered from another process.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, writeFiles } from '../support/git.ts'
import {
  baton,
  documentOf,
  journalOf,
  namesIn,
  refusalOf,
  smallProject,
  smallWorkflow,
  thenAsk,
  works,
} from './baton.ts'

const task = 'Write the work'

/** A run that has come to the question and has ended with exit 3. */
async function waiting(script: string, rest = thenAsk): Promise<string> {
  const project = await smallProject(script, rest)
  const { code } = await baton(project.root, ['run', task, '--script', project.script])
  expect(code).toBe(3)
  return project.root
}

const twice = `roles:
  worker:
    - writes: { work.txt: "one\\n" }
      answer: { status: success }
    - expects: ["name the colour"]
      writes: { work.txt: "two, blue\\n" }
      answer: { status: success }
`

describe.concurrent('without a terminal', () => {
  test('R001-160: a question ends the run with exit 3 and the commands that answer it', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    const { code, stdout, stderr } = await baton(root, ['run', task, '--script', script])
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(stdout).toBe(`Run 1 waits for you: Merge 'task/1-work'?
  baton approve 1
  baton reject 1 "<text>"
Then: baton resume 1
`)
    const shown = (await baton(root, ['show'])).stdout
    expect(shown).toMatch(/^ {2}status {5}waiting$/m)
    expect(shown).toMatch(
      /Question\n {2}Merge 'task\/1-work'\?\nNext: baton approve 1 \| baton reject 1.*, then: baton resume 1\n$/,
    )
  })

  test('the question is in the documents too', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    const ended = await baton(root, ['run', task, '--script', script, '--json'])
    const asked = { question: "Merge 'task/1-work'?", verbs: ['approve', 'reject'] }
    expect(documentOf(ended)).toMatchObject({ outcome: 'waiting', exit_code: 3, ...asked })
    const shown = documentOf(await baton(root, ['show', '--json']))
    expect(shown).toMatchObject({ status: 'waiting', current_step: 'person', ...asked })
  })

  test('approve is stored, and resume goes on to the end', async () => {
    const root = await waiting(works)
    const told = await baton(root, ['approve', '1'])
    expect(told).toEqual({
      code: 0,
      stdout: "Stored 'approve' for run 1.\nNext: baton resume 1\n",
      stderr: '',
    })
    expect((await baton(root, ['show'])).stdout).toMatch(/^Next: baton resume 1\n$/m)
    const ended = await baton(root, ['resume', '1', '--json'])
    expect(documentOf(ended)).toMatchObject({
      run: '1',
      outcome: 'delivered',
      exit_code: 0,
      branch: 'task/1-work',
    })
    expect(ended.stderr).toMatch(/ORCHESTRATOR: Run resumed\.\n[\s\S]*A person said: approve\./)
  })

  test('reject sends the step back with the reason, as often as it takes', async () => {
    const root = await waiting(twice)
    await baton(root, ['reject', '1', 'Please', 'name the colour'])
    expect((await baton(root, ['resume'])).code).toBe(3)
    expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('two, blue')
    await baton(root, ['approve', '#1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
  })

  test('answer runs a step that failed again, with the words', async () => {
    const root = await waiting(`roles:
  worker:
    - ends: { exit: 7 }
    - expects: ["the blue one"]
      writes: { work.txt: "blue\\n" }
      answer: { status: success }
`)
    expect((await baton(root, ['show'])).stdout).toMatch(/Step 'work' ended failed \(crash\).*exit code 7/)
    const told = documentOf(await baton(root, ['answer', '1', 'Take the blue one', '--json']))
    expect(told).toMatchObject({ run: '1', verb: 'answer', next: 'baton resume 1' })
    const resumed = documentOf(await baton(root, ['resume', '--json']))
    expect(resumed).toMatchObject({ outcome: 'waiting', question: "Merge 'task/1-work'?" })
  })

  test('resume without an answer asks again and changes nothing', async () => {
    const root = await waiting(works)
    const tip = await gitIn(root, 'rev-parse', 'task/1-work')
    expect((await baton(root, ['resume'])).code).toBe(3)
    expect(await gitIn(root, 'rev-parse', 'task/1-work')).toBe(tip)
    expect((await journalOf(root)).filter(({ type }) => type === 'agent.started')).toHaveLength(1)
  })
})

const twoQuestions = '  - { id: first, ask: "First?" }\n  - { id: second, ask: "Second?" }\n'

describe.concurrent('messages', () => {
  test('of two people who answer at the same moment: one is heard, the other is told', async () => {
    const root = await waiting(works, twoQuestions)
    const told = await Promise.all([
      baton(root, ['approve', '1']),
      baton(root, ['reject', '1', 'no']),
      baton(root, ['approve', '1']),
    ])
    const refused = told.filter(({ code }) => code !== 0)
    expect(refused).toHaveLength(2)
    for (const one of refused)
      expect(refusalOf(one).error).toBe('Run 1 has its answer already and has not read it yet.')
  })

  test('for a question that was answered meanwhile are put aside, said, and not used for the next', async () => {
    const root = await waiting(works, twoQuestions)
    const asked = (await journalOf(root)).findLast(({ type }) => type === 'run.waiting')?.data['asked']
    await baton(root, ['approve', '1'])
    await baton(root, ['resume'])
    const late = { id: 'late', to: asked, verb: 'approve', text: '' }
    await writeFiles(root, { '.baton/runs/1/inbox/late.json': JSON.stringify(late) })
    const resumed = await baton(root, ['resume'])
    expect(resumed.code).toBe(3)
    expect(resumed.stdout).toMatch(/A 'approve' came for another question than this one\./)
    expect(resumed.stdout).toMatch(/^Run 1 waits for you: Second\?$/m)
    expect(await namesIn(join(root, '.baton', 'runs', '1', 'inbox'))).toContain('late.json.aside')
    await baton(root, ['approve', '1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
  })

  test('that cannot be read are put aside, and the run still waits', async () => {
    const root = await waiting(works)
    await writeFiles(root, { '.baton/runs/1/inbox/0.json': 'approve!' })
    expect((await baton(root, ['resume'])).code).toBe(3)
    expect(await namesIn(join(root, '.baton', 'runs', '1', 'inbox'))).toEqual(['0.json.unreadable'])
  })
})

describe.concurrent('an answer', () => {
  test('is taken for one question, not for the next', async () => {
    const root = await waiting(
      works,
      '  - { id: first, ask: "First?" }\n  - { id: second, ask: "Second?" }\n',
    )
    await baton(root, ['approve', '1'])
    const resumed = documentOf(await baton(root, ['resume', '--json']))
    expect(resumed).toMatchObject({ outcome: 'waiting', question: 'Second?' })
  })

  test('cannot be given twice, so that nobody approves a question that he has not seen', async () => {
    const root = await waiting(
      works,
      '  - { id: first, ask: "First?" }\n  - { id: second, ask: "Second?" }\n',
    )
    await baton(root, ['approve', '1'])
    const { error, next } = refusalOf(await baton(root, ['reject', '1', 'no']))
    expect(error).toBe('Run 1 has its answer already and has not read it yet.')
    expect(next).toBe('baton resume 1')
    await baton(root, ['resume'])
    expect((await baton(root, ['approve', '1'])).code).toBe(0)
  })

  test('that the question does not take, or that says nothing, is refused', async () => {
    const root = await waiting(works)
    expect(refusalOf(await baton(root, ['answer', '1', 'Yes, merge it']))).toEqual({
      error: "The question of run 1 does not take 'answer'.",
      next: 'It takes: baton approve 1 | baton reject 1 "<text>"',
    })
    expect(refusalOf(await baton(root, ['reject', '1', ' ']))).toEqual({
      error: "'reject' needs words: they are what the step is told.",
      next: 'baton reject 1 "<text>"',
    })
    expect((await baton(root, ['resume'])).code).toBe(3)
  })

  test('to a run that asks nothing is refused', async () => {
    const { root, script } = await smallProject(works)
    await baton(root, ['run', task, '--script', script])
    expect(refusalOf(await baton(root, ['approve', '1']))).toEqual({
      error: 'Run 1 is delivered: it asks nothing.',
      next: 'baton show 1',
    })
    expect(refusalOf(await baton(root, ['resume', '1'])).error).toMatch(/^Run 1 has ended \(delivered\)/)
  })

  test('cannot approve a failed check away', async () => {
    const { root, script } = await smallProject(works)
    const file = '.baton/workflows/small.yaml'
    const gated = '{ id: work, agent: worker, gates: [tests_pass], on: { revise: ask } }'
    await writeFiles(root, {
      [file]: (smallWorkflow()[file] ?? '').replace('{ id: work, agent: worker }', gated),
      '.baton/config.yaml':
        'workflow: small\nprovider: scripted\nchecks: { tests: { command: ["false"] } }\n',
    })
    const ended = await baton(root, ['run', task, '--script', script, '--json'])
    expect(documentOf(ended)).toMatchObject({ outcome: 'waiting', verbs: ['reject', 'answer'] })
    expect(refusalOf(await baton(root, ['approve', '1'])).next).toBe(
      'It takes: baton reject 1 "<text>" | baton answer 1 "<text>"',
    )
  })
})
