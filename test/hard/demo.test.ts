// What a new user types first.
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { gitIn, makeFolder, writeFiles } from '../support/git.ts'
import { baton, documentOf, refusalOf } from '../e2e/baton.ts'
import type { Document, Ended } from '../e2e/baton.ts'

/** The exit code of the project's own tests in a folder. */
function testsIn(folder: string): Promise<number> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '' }
    execFile(process.execPath, ['--test'], { cwd: folder, env }, (error) => resolve(error ? 1 : 0))
  })
}

/** Of a line typed into a shell. */
function exitOf(line: string): Promise<number> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], (error) => resolve(error ? 1 : 0))
  })
}

describe('baton demo --json --keep DIR', () => {
  let ended: Ended
  let folder: string
  let demo: Document

  beforeAll(async () => {
    folder = join(await makeFolder(), 'till')
    ended = await baton(join(folder, '..'), ['demo', '--json', '--keep', 'till'])
    demo = documentOf(ended)
  })

  test('R001-161: gives one document: run, outcome, repository, base, branch, journal', async () => {
    expect(ended.code).toBe(0)
    expect(documentOf(ended)).toEqual({
      ...{ run: '1', outcome: 'delivered', repository: folder, base: 'main' },
      branch: 'task/1-total-ignores-quantity',
      worktree: join(folder, '..', '.worktrees', '1-total-ignores-quantity'),
      journal: join(folder, '.baton', 'runs', '1.log.jsonl'),
    })
    const lines = (await readFile(demo.journal, 'utf8')).trimEnd().split('\n')
    expect(
      lines.every((line) => Object.keys(JSON.parse(line) as object).join() === 'ts,role,type,data'),
    ).toBe(true)
  })

  test('the tests pass on the branch, and fail where it started', async () => {
    const start = join(folder, '..', 'start')
    await gitIn(folder, 'worktree', 'add', '--quiet', '--detach', start, 'main~1')
    expect(await testsIn(start)).toBe(1)
    expect(await testsIn(demo.worktree)).toBe(0)
  })

  test('R001-70: main is where it was, and clean', async () => {
    expect(await gitIn(folder, 'log', '--format=%s', 'main')).toBe(
      'Round the total to whole cents\nA till that adds up a basket',
    )
    expect(await gitIn(folder, 'status', '--porcelain')).toBe('')
    expect(await gitIn(folder, 'diff', '--name-only', 'main~1', demo.branch)).not.toMatch(/^\.baton/m)
  })

  test('the log of the branch shows a commit of each step with the role named, and the merge', async () => {
    const log = await gitIn(folder, 'log', '--graph', '--format=%s%n%b', `main~1..${demo.branch}`)
    for (const role of [
      'INVESTIGATOR',
      'LEAD ANALYST',
      'ARCHITECT',
      'LEAD ARCHITECT',
      'DEVELOPER',
      'AUDITOR',
    ])
      expect(log).toMatch(new RegExp(`\\* (\\| )?${role}: `))
    const ours = (await gitIn(folder, 'log', '--format=%s', `main..${demo.branch}`)).split('\n')
    expect(ours.filter((subject) => !/^[A-Z ]+: /.test(subject))).toEqual([])
    expect(log).toMatch(/\|\\/)
    expect(await gitIn(folder, 'merge-base', '--is-ancestor', 'main', demo.branch)).toBe('')
  })

  test("R001-86: the task's documents are archived on the branch", async () => {
    const files = await readdir(join(demo.worktree, 'docs/dev_docs/archived'), { recursive: true })
    for (const name of ['diagnostic_report', 'plan_', 'code_review_', 'merge_review_'])
      expect(files.some((file) => file.includes(name))).toBe(true)
    expect(await gitIn(demo.worktree, 'status', '--porcelain')).toBe('')
  })

  test('show, runs and logs work in it', async () => {
    expect((await baton(folder, ['show'])).stdout).toContain('status     delivered')
    expect((await baton(folder, ['logs'])).stdout).toMatch(
      /^\[\d\d:\d\d:\d\d\] ORCHESTRATOR: Task Received\.\n/,
    )
  })
})

test('baton demo without flags exits 0 and says what to look at, in words that a shell takes', async () => {
  const temporary = join(await makeFolder(), 'Müller & Co')
  await mkdir(temporary)
  const { code, stdout, stderr } = await baton(temporary, ['demo'], { env: { TMPDIR: temporary } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`\nLook at it:\n  cd '${temporary}/baton-demo-`)
  const lines = stdout.split('\n').filter((line) => /^ {2}(cd|git|ls|head) /.test(line))
  expect(await exitOf(lines.join(' && '))).toBe(0)
  expect(await readdir(temporary)).toHaveLength(1)
})

test("baton demo does not read the user's settings", async () => {
  const home = await makeFolder()
  await writeFiles(home, { '.config/baton/config.yaml': 'broken: [\n' })
  const folder = await makeFolder()
  await mkdir(join(folder, 'full'))
  await writeFiles(folder, { 'full/file.txt': 'mine\n' })
  expect(refusalOf(await baton(folder, ['demo', '--keep', 'full'], { home }))).toEqual({
    error: `The folder ${join(folder, 'full')} is not empty.`,
    next: 'Name a folder that does not exist yet: baton demo --keep ~/baton-demo',
  })
  expect(await readdir(join(folder, 'full'))).toEqual(['file.txt'])
})
