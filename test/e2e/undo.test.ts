// A run goes back to the end of a step, and on from there. Branches only move forward, and nothing is lost.
import { readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitAll, gitIn, writeFiles } from '../support/git.ts'
import {
  baton,
  documentOf,
  journalOf,
  refusalOf,
  scriptBeside,
  smallProject,
  startBaton,
  untilFact,
} from './baton.ts'
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
  test('without --to lists the steps that can be named, with their commits', async () => {
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
  })

  test('puts the branch back by one commit more, and resume goes on with what follows that step', async () => {
    const { root, run, show } = await atTheQuestion()
    const from = await gitIn(root, 'rev-parse', branch)
    const { worktree } = documentOf(await run('show', '1', '--json'))
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

  test('of a run that is delivered, and twice, further back', async () => {
    const { root, run, show } = await atTheQuestion()
    await run('approve', '1')
    await run('resume', '1')
    expect((await run('undo', '1', '--to', 'polish#1')).code).toBe(0)
    expect(await show('polish.txt')).toBe('first')
    expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
    const tip = await gitIn(root, 'rev-parse', branch)
    expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
    expect(await gitIn(root, 'rev-parse', branch)).toBe(tip)
    await writeFiles(join(root, '..'), { 'polish.txt': 'second\n' })
    expect((await run('resume', '1')).code).toBe(3)
    await run('approve', '1')
    expect((await run('resume', '1')).code).toBe(0)
    expect(await show('polish.txt')).toBe('second')
    expect((await run('show', '1')).stdout).toContain('status     delivered')
  })

  test('of a run that was cancelled, or that failed: an answer that nobody had read answers nothing else', async () => {
    const { run } = await atTheQuestion()
    await run('cancel', '1')
    expect((await run('undo', '1', '--to', 'polish')).code).toBe(0)
    expect((await run('resume', '1')).code).toBe(3)
    await run('reject', '1', 'no')
    expect((await run('resume', '1')).code).toBe(1)
    expect((await run('show', '1')).stdout).toContain('status     failed')
    expect((await run('undo', '1', '--to', 'polish')).code).toBe(0)
    expect((await run('resume', '1')).code).toBe(3)
    await run('approve', '1')
    expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
    expect((await run('resume', '1')).code).toBe(3)
  })

  test('keeps what stood in the worktree; what a person does after it is his own', async () => {
    const { root, run, show } = await atTheQuestion()
    const { worktree } = documentOf(await run('show', '1', '--json'))
    await writeFiles(worktree, { 'mine.txt': 'mine\n' })
    const { stdout } = await run('undo', '1', '--to', 'work')
    expect(await gitIn(worktree, 'status', '--porcelain')).toBe('')
    const number = /baton restore 1 (\d+)/.exec(stdout)?.[1] ?? ''
    expect(await gitIn(root, 'show', `refs/baton/1/${number}:mine.txt`)).toBe('mine')
    await writeFiles(worktree, { 'later.txt': 'later\n' })
    await run('resume', '1')
    expect(await show('later.txt')).toBe('later')
    expect((await journalOf(root)).filter(({ data }) => data['by'] === 'person')).toHaveLength(1)
  })

  test('names the steps that there are where it does not know one', async () => {
    const { run } = await atTheQuestion()
    expect(refusalOf(await run('undo', '1', '--to', 'review'))).toEqual({
      error: "Run 1 has no step 'review' that has ended.",
      next: 'baton undo 1 --to <step>, one of: work#1, polish#1',
    })
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

const merging = `  - { id: polish, agent: worker }
  - { id: integrate, do: merge-base, on: { conflict: fail } }
  - { id: person, ask: "Merge it?" }
  - { id: deliver, do: deliver }
`

describe.concurrent('an undo past a merge of the base', () => {
  async function merged(theirs: Record<string, string>): Promise<Project> {
    const { root, script } = await smallProject(twoSteps, merging)
    await writeFiles(join(root, '..'), { 'polish.txt': 'first\n' })
    await writeFiles(root, theirs)
    await commitAll(root, 'the work of others')
    const run = (...args: string[]): Promise<Ended> => baton(root, args)
    expect((await run('run', task, '--script', script, '--from', 'main~1', '--base', 'main')).code).toBe(3)
    return { root, run, show: (path) => gitIn(root, 'show', `${branch}:${path}`) }
  }

  test('keeps the work of others', async () => {
    const { root, run, show } = await merged({ 'theirs.txt': 'theirs\n' })
    expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
    expect(await show('theirs.txt')).toBe('theirs')
    expect(await show('work.txt')).toBe('done')
    expect(await gitIn(root, 'ls-tree', '--name-only', branch)).not.toContain('polish.txt')
    await run('resume', '1')
    await run('approve', '1')
    expect((await run('resume', '1')).code).toBe(0)
    expect(await show('theirs.txt')).toBe('theirs')
  })

  test('is refused where the two contradict each other, and nothing is changed', async () => {
    const { root, script } = await smallProject(
      `steps:
  work: [{ writes: { work.txt: "ours\\n" }, answer: {} }]
  polish: [{ writes: { work.txt: "theirs\\n" }, answer: {} }]
`,
      merging,
    )
    await writeFiles(root, { 'work.txt': 'theirs\n' })
    await commitAll(root, 'the work of others')
    await baton(root, ['run', task, '--script', script, '--from', 'main~1', '--base', 'main'])
    const refs = await gitIn(root, 'for-each-ref')
    const lines = await journalOf(root)
    const { error } = refusalOf(await baton(root, ['undo', '1', '--to', 'work']))
    expect(error).toBe(
      'The end of work#1 and what was merged from the base since contradict each other in work.txt: nothing was changed.',
    )
    expect(await gitIn(root, 'for-each-ref')).toBe(refs)
    expect(await journalOf(root)).toEqual(lines)
  })
})

describe.concurrent('an undo that was killed', () => {
  /** As it is right after the line in the journal: nothing of the world has followed. */
  async function cutShort(): Promise<Project> {
    const project = await atTheQuestion()
    const { root, run } = project
    const from = await gitIn(root, 'rev-parse', branch)
    const { worktree } = documentOf(await run('show', '1', '--json'))
    await run('undo', '1', '--to', 'work')
    await gitIn(worktree, 'reset', '--quiet', '--hard', from)
    const folder = join(root, '.baton/runs/1')
    await rm(join(folder, 'git/settled-undo'))
    await writeFiles(join(folder, 'steps/polish.1/call-1'), { 'exit.json': '{"code":0}', 'answer.txt': '{}' })
    await writeFiles(join(root, '..'), { 'polish.txt': 'second\n' })
    return project
  }

  test('is finished by resume', async () => {
    const { root, run, show } = await cutShort()
    expect((await run('resume', '1')).code).toBe(3)
    expect(await show('polish.txt')).toBe('second')
    expect(await gitIn(root, 'log', '--format=%s', branch)).toContain('Undo: back to the end of work#1')
    expect(await callsIn(root)).toBe(2)
  })

  test('is finished by the same undo, with the same commit', async () => {
    const { root, run, show } = await cutShort()
    const recorded = (await journalOf(root)).at(-1)?.data['commit']
    expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
    expect(await gitIn(root, 'rev-parse', branch)).toBe(recorded)
    expect(await show('work.txt')).toBe('done')
    expect((await journalOf(root)).filter(({ type }) => type === 'run.undone')).toHaveLength(1)
  })

  test('before its line in the journal makes the same commit and the same snapshots when it is typed again', async () => {
    const { root, run } = await atTheQuestion()
    const { worktree } = documentOf(await run('show', '1', '--json'))
    await writeFiles(worktree, { 'mine.txt': 'mine\n' })
    const from = await gitIn(root, 'rev-parse', branch)
    const journal = join(root, '.baton/runs/1.log.jsonl')
    const before = await readFile(journal, 'utf8')
    await run('undo', '1', '--to', 'work')
    const refs = await gitIn(root, 'for-each-ref')
    await gitIn(worktree, 'reset', '--quiet', '--hard', from)
    await writeFiles(worktree, { 'mine.txt': 'mine\n' })
    await rm(join(root, '.baton/runs/1/git/settled-undo'))
    await writeFiles(root, { '.baton/runs/1.log.jsonl': before })
    expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
    expect(await gitIn(root, 'for-each-ref')).toBe(refs)
  })
})

test('a worktree that is gone is made again, and undone', async () => {
  const { root, run, show } = await atTheQuestion()
  const { worktree } = documentOf(await run('show', '1', '--json'))
  await rm(worktree, { recursive: true })
  await scriptBeside(root, twoSteps)
  expect((await run('undo', '1', '--to', 'work')).code).toBe(0)
  expect(await readFile(join(worktree, 'work.txt'), 'utf8')).toBe('done\n')
  expect(await show('work.txt')).toBe('done')
})
