// A run goes back to the end of a step, whatever had become of it, and on from there. The command is tested in test/e2e.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { smallWorkflow } from '../../test/e2e/baton.ts'
import { commitAll, gitIn, makeRepository, writeFiles } from '../../test/support/git.ts'
import { play, playOn, surroundingsOf } from '../../test/support/run.ts'
import { sendMessage } from '../journal/inbox.ts'
import type { PersonVerb } from '../model/durable.ts'
import type { Undo } from '../model/undone.ts'
import { stateOf } from './state-of.ts'
import { resumeRun } from './resume-run.ts'
import { undoRun } from './undo-run.ts'

const branch = 'task/1-work'
const steps = `  - { id: polish, agent: worker }
  - { id: person, ask: "Merge it?", on: { revise: fail } }
  - { id: deliver, do: deliver }
`
const merging = `  - { id: polish, agent: worker }
  - { id: integrate, do: merge-base, on: { conflict: fail } }
  - { id: person, ask: "Merge it?" }
`
const script = `steps:
  work: [{ writes: { work.txt: "done\\n" }, answer: {} }]
  polish: [{ runs: [[cp, ../../polish.txt, polish.txt]], writes: { work.txt: "done well\\n" }, answer: {} }]
`

interface Played {
  readonly root: string
  readonly worktree: string
  readonly folder: string
  readonly journal: string
  readonly git: (...args: string[]) => Promise<string>
  readonly file: (path: string) => Promise<string>
  readonly undo: (to: string) => Promise<Undo>
  /** Goes on and gives what the run has come to. */
  readonly resume: () => Promise<string>
  readonly tell: (verb: PersonVerb) => Promise<unknown>
}

interface Given {
  readonly rest?: string
  readonly scriptText?: string
  /** Committed on main after the place where the task begins. */
  readonly theirs?: Record<string, string>
}

/** A run that waits for a person after two steps. */
async function waiting({ rest = steps, scriptText = script, theirs }: Given = {}): Promise<Played> {
  const root = await makeRepository(smallWorkflow(rest))
  await writeFiles(join(root, '..'), { 'polish.txt': 'first\n' })
  if (theirs !== undefined) {
    await writeFiles(root, theirs)
    await commitAll(root, 'the work of others')
  }
  const from = theirs === undefined ? {} : { from: 'main~1' }
  const { folder, state } = await play({ repository: root, task: 'Write the work', scriptText, ...from })
  expect(state.status).toBe('waiting')
  return {
    ...{ root, worktree: state.worktree, folder: folder.dir, journal: folder.journal },
    git: (...args) => gitIn(root, ...args),
    file: (path) => gitIn(root, 'show', `${branch}:${path}`),
    undo: (to) => undoRun(surroundingsOf({ repository: root }), { run: '1', to }),
    async resume() {
      await playOn({ repository: root })
      return (await stateOf(folder)).status
    },
    async tell(verb) {
      await sendMessage(folder.inbox, { to: (await stateOf(folder)).asked, verb, text: 'so' })
    },
  }
}

async function undosIn(journal: string): Promise<number> {
  return (await readFile(journal, 'utf8')).split('"run.undone"').length - 1
}

describe.concurrent('a run that is undone goes on from there', () => {
  test('if it was delivered, and if it is undone twice, further back', async () => {
    const run = await waiting()
    await run.tell('approve')
    expect(await run.resume()).toBe('delivered')
    await run.undo('polish#1')
    expect(await run.file('polish.txt')).toBe('first')
    const { commit } = await run.undo('work')
    expect((await run.undo('work')).commit).toBe(commit)
    expect(await run.git('rev-parse', branch)).toBe(commit)
    await writeFiles(join(run.root, '..'), { 'polish.txt': 'second\n' })
    expect(await run.resume()).toBe('waiting')
    await run.tell('approve')
    expect(await run.resume()).toBe('delivered')
    expect(await run.file('polish.txt')).toBe('second')
  })

  test('if it failed or was cancelled; an answer that nobody had read answers no other question', async () => {
    const run = await waiting()
    await run.tell('reject')
    expect(await run.resume()).toBe('failed')
    await run.undo('polish')
    expect(await run.resume()).toBe('waiting')
    await resumeRun(surroundingsOf({ repository: run.root }), { run: '1', cancelAtOnce: true })
    await run.undo('polish')
    await run.tell('approve')
    await run.undo('work')
    expect(await run.resume()).toBe('waiting')
  })

  test('with what a person does in the worktree after it', async () => {
    const run = await waiting()
    await writeFiles(run.worktree, { 'mine.txt': 'mine\n' })
    const { snapshot } = await run.undo('work')
    expect(await run.git('show', `${snapshot}:mine.txt`)).toBe('mine')
    expect(await gitIn(run.worktree, 'status', '--porcelain')).toBe('')
    await writeFiles(run.worktree, { 'later.txt': 'later\n' })
    await run.resume()
    expect(await run.file('later.txt')).toBe('later')
    expect((await readFile(run.journal, 'utf8')).match(/"by":"person"/g)).toHaveLength(1)
  })

  test('also where its worktree is gone', async () => {
    const run = await waiting()
    await rm(run.worktree, { recursive: true })
    await run.undo('work')
    expect(await readFile(join(run.worktree, 'work.txt'), 'utf8')).toBe('done\n')
    expect(await run.resume()).toBe('waiting')
  })
})

describe.concurrent('an undo past a merge of the base', () => {
  test('git-flow rule 6: keeps the work of others', async () => {
    const run = await waiting({ rest: merging, theirs: { 'theirs.txt': 'theirs\n' } })
    expect(await run.file('theirs.txt')).toBe('theirs')
    await run.undo('work')
    expect(await run.file('theirs.txt')).toBe('theirs')
    expect(await run.file('work.txt')).toBe('done')
    expect(await run.git('ls-tree', '--name-only', branch)).not.toContain('polish.txt')
    expect(await run.resume()).toBe('waiting')
    expect(await run.file('theirs.txt')).toBe('theirs')
    expect(await run.file('polish.txt')).toBe('first')
  })

  test('is refused where the two contradict each other, and nothing is changed', async () => {
    const scriptText = `steps:
  work: [{ writes: { work.txt: "ours\\n" }, answer: {} }]
  polish: [{ writes: { work.txt: "theirs\\n" }, answer: {} }]
`
    const run = await waiting({ rest: merging, scriptText, theirs: { 'work.txt': 'theirs\n' } })
    const before = [await run.git('for-each-ref'), await readFile(run.journal, 'utf8')]
    await expect(run.undo('work')).rejects.toMatchObject({
      code: 'undo.conflict',
      message:
        'The end of work#1 and what was merged from the base since contradict each other in work.txt: nothing was changed.',
    })
    expect([await run.git('for-each-ref'), await readFile(run.journal, 'utf8')]).toEqual(before)
  })
})

describe.concurrent('an undo that was killed', () => {
  /** As it is right after the line in the journal: nothing of the world has followed. */
  async function cutShort(): Promise<Played & { readonly commit: string }> {
    const run = await waiting()
    const from = await run.git('rev-parse', branch)
    const { commit } = await run.undo('work')
    await gitIn(run.worktree, 'reset', '--quiet', '--hard', from)
    await rm(join(run.folder, 'git/settled-undo'))
    await writeFiles(join(run.folder, 'steps/polish.1/call-1'), {
      'exit.json': '{"code":0}',
      'answer.txt': '{}',
    })
    await writeFiles(join(run.root, '..'), { 'polish.txt': 'second\n' })
    return { ...run, commit }
  }

  test('is finished by resume', async () => {
    const run = await cutShort()
    expect(await run.resume()).toBe('waiting')
    expect(await run.file('polish.txt')).toBe('second')
    expect(await run.git('rev-parse', `${branch}~1`)).toBe(run.commit)
  })

  test('is finished by the same undo, with the same commit', async () => {
    const run = await cutShort()
    expect((await run.undo('work')).commit).toBe(run.commit)
    expect(await run.git('rev-parse', branch)).toBe(run.commit)
    expect(await readFile(join(run.worktree, 'work.txt'), 'utf8')).toBe('done\n')
    expect(await undosIn(run.journal)).toBe(1)
  })

  test('before its line in the journal makes the same commit and the same snapshots when it is typed again', async () => {
    const run = await waiting()
    const scribble = () => writeFiles(run.worktree, { 'mine.txt': 'mine\n' })
    await scribble()
    const from = await run.git('rev-parse', branch)
    const before = await readFile(run.journal)
    await run.undo('work')
    const refs = await run.git('for-each-ref')
    await gitIn(run.worktree, 'reset', '--quiet', '--hard', from)
    await scribble()
    await rm(join(run.folder, 'git/settled-undo'))
    await writeFile(run.journal, before)
    await run.undo('work')
    expect(await run.git('for-each-ref')).toBe(refs)
  })
})
