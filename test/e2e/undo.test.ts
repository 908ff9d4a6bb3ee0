// A run goes back to the end of a step, and on from there. Branches only move forward, and nothing is lost.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, writeFiles } from '../support/git.ts'
import { baton, journalOf, refusalOf, smallProject, startBaton, untilFact } from './baton.ts'
import type { Ended } from './baton.ts'

const task = 'Write the work'
const branch = 'task/1-work'

/** Two workers, then a person, then the end. The second one counts how often it was asked. */
const twoSteps = `steps:
  work: [{ writes: { work.txt: "done\\n" }, answer: { status: success } }]
  polish:
    - runs: [[sh, -c, "echo call >> ../../calls; cp ../../polish.txt polish.txt"]]
      writes: { work.txt: "done well\\n" }
      answer: { status: success }
`
const polish = `  - { id: polish, agent: worker }
  - { id: person, ask: "Merge it?", on: { revise: fail } }
  - { id: deliver, do: deliver }
`

interface Project {
  readonly root: string
  readonly run: (...args: string[]) => Promise<Ended>
  readonly show: (path: string) => Promise<string>
}

/** A run that has come to the question, with its first polish. */
async function atTheQuestion(): Promise<Project> {
  const { root, script } = await smallProject(twoSteps, polish)
  await writeFiles(join(root, '..'), { 'polish.txt': 'first\n' })
  const run = (...args: string[]): Promise<Ended> => baton(root, args)
  expect((await run('run', task, '--script', script)).code).toBe(3)
  return { root, run, show: (path) => gitIn(root, 'show', `${branch}:${path}`) }
}

async function callsIn(root: string): Promise<number> {
  return (await readFile(join(root, '..', 'calls'), 'utf8')).split('\n').length - 1
}

describe.concurrent('baton undo', () => {
  test('without --to lists the steps that can be named, and so does an error', async () => {
    const { root, run } = await atTheQuestion()
    const tip = await gitIn(root, 'rev-parse', '--short=12', branch)
    const before = await gitIn(root, 'rev-parse', '--short=12', `${branch}~1`)
    expect(await run('undo', '1')).toEqual({
      code: 0,
      stdout: [
        'STEP      ENDED  COMMIT',
        `work#1    ok     ${before}`,
        `polish#1  ok     ${tip}`,
        'Go back to the end of one: baton undo 1 --to <step>\n',
      ].join('\n'),
      stderr: '',
    })
    expect(refusalOf(await run('undo', '1', '--to', 'review'))).toEqual({
      error: "Run 1 has no step 'review' that has ended.",
      next: 'baton undo 1 --to <step>, one of: work#1, polish#1',
    })
  })

  test('puts the branch back by one commit more, and resume goes on with what follows that step', async () => {
    const { root, run, show } = await atTheQuestion()
    const from = await gitIn(root, 'rev-parse', branch)
    const worktree = join(root, '..', '.worktrees', '1-work')
    const undone = await run('undo', '1', '--to', 'work')
    expect(undone.code, undone.stderr).toBe(0)
    expect(undone.stdout).toMatch(
      /^Run 1 is back at the end of work#1; its branch is at [0-9a-f]{12}\.\nWhat was there: baton restore 1 \d+ --into \S+\nGo on: baton resume 1\n$/,
    )
    expect(await gitIn(root, 'rev-parse', `${branch}~1`)).toBe(from)
    expect(await gitIn(root, 'log', '-1', '--format=%an: %s', branch)).toBe(
      'Baton: Undo: back to the end of work#1',
    )
    expect(await gitIn(root, 'log', '-1', '--format=%b', branch)).toContain('Undone: polish#1')
    expect(await show('work.txt')).toBe('done')
    expect(await gitIn(root, 'ls-tree', '--name-only', branch)).not.toContain('polish.txt')
    expect(await gitIn(worktree, 'status', '--porcelain')).toBe('')
    const shown = (await run('show', '1')).stdout
    expect(shown).toContain('status     stopped: undone: back at the end of work#1')
    expect(shown).not.toContain('polish  ')
    expect(shown).toMatch(/\nNext: baton resume 1\n$/)

    await writeFiles(join(root, '..'), { 'polish.txt': 'second\n' })
    expect((await run('resume', '1')).code).toBe(3)
    expect(await show('polish.txt')).toBe('second')
    expect(await callsIn(root)).toBe(2)
    expect(await readdir(join(root, '.baton/runs/1/steps'))).toEqual(['polish.1', 'undone-1', 'work.1'])
    expect(await readdir(join(root, '.baton/runs/1/steps/undone-1'))).toEqual(['polish.1'])
    const lines = await journalOf(root)
    expect(lines.filter(({ type, data }) => type === 'branch.moved' && data['by'] === 'person')).toEqual([])
    await run('approve', '1')
    expect((await run('resume', '1')).code).toBe(0)
    expect((await run('logs', '1')).stdout).toContain(
      'Undone: back at the end of work#1. What was there is kept as refs/baton/1/',
    )
  })

  test('is refused while the run is alive, and so is clean', async () => {
    const { root, script } = await smallProject('roles: { worker: [{ ends: { hang: true } }] }')
    const run = await startBaton(root, ['run', task, '--script', script])
    await untilFact(root, 'agent.started')
    expect(refusalOf(await baton(root, ['undo', '1', '--to', 'work']))).toEqual({
      error: `Run 1 is alive (process ${run.child.pid}): nothing is undone under its feet.`,
      next: expect.stringMatching(/^baton cancel 1 /) as string,
    })
    expect((await baton(root, ['clean', '1'])).stdout).toBe(
      `Run 1 (running): stays, it is alive (process ${run.child.pid}); baton cancel 1\n`,
    )
    await baton(root, ['cancel', '1'])
    await run.ended
  })
})
