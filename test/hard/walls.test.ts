// Whole runs behind walls: projects are built and tested inside, people work beside them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baton, documentOf } from '../e2e/baton.ts'
import type { Ended } from '../e2e/baton.ts'
import { commitAll, gitIn, makeRepository, writeFiles } from '../support/git.ts'
import type { Files } from '../support/git.ts'
import { changes, hardHome, scriptOf } from '../support/hard.ts'
import type { Entry } from '../support/pipeline.ts'
import { isWalled } from '../support/room.ts'

async function project(files?: Files): Promise<string> {
  const root = await makeRepository(files)
  await gitIn(root, 'branch', 'release')
  return root
}

/** From a branch that nobody moves meanwhile. */
async function behindWalls(root: string, does: readonly Entry[], sandbox = 'required'): Promise<Ended> {
  const flags = [
    '--workflow',
    'coder',
    '--base',
    'release',
    '--sandbox',
    sandbox,
    '--script',
    await scriptOf(does),
  ]
  return baton(root, ['run', 'Write the work', '--json', ...flags], { home: await hardHome() })
}

const npmProject: Files = {
  'package.json': '{ "name": "till", "scripts": { "test": "node --test", "build": "node build.js" } }\n',
  'build.js': "require('fs').writeFileSync('dist.txt', 'built')\n",
  'a.test.js': "require('node:test')('adds', () => require('node:assert').equal(1 + 1, 2))\n",
  '.gitignore': 'dist.txt\n',
}

describe.skipIf(!isWalled)('behind walls', () => {
  test('an npm project is built, tested and committed, with a home and a /tmp of its own', async () => {
    const root = await project(npmProject)
    const runs = [
      { argv: ['npm', 'run', 'build'], must: true },
      { argv: ['npm', 'test'], must: true },
      { argv: ['sh', '-c', 'test "$(id -u)" != 0 && echo x >/tmp/mine && echo x >$HOME/mine'], must: true },
    ]
    const ended = await behindWalls(root, [{ writes: { 'work.txt': 'done\n' }, runs, commits: 'the work' }])
    expect(ended.code, ended.stderr).toBe(0)
    const { branch, walls } = documentOf(ended)
    expect(walls).toBe('bubblewrap')
    expect(await changes(root, branch)).toEqual({ 'work.txt': 'done' })
    expect(existsSync('/tmp/mine')).toBe(false)
  })

  test("R001-83: the engine's own git has a room too, for as long as the run lasts", async () => {
    const root = await project()
    const state = join(root, '.baton/runs/1/git')
    // The command that makes it names its folder for temporary files.
    const rooms = (): string[] => commandLines().filter((words) => words.includes(join(state, 'room')))
    const work = { writes: { 'work.txt': 'done\n' }, runs: [{ argv: ['sleep', '1'] }] }
    const run = behindWalls(root, [work])
    await expect.poll(rooms, { timeout: 60_000 }).not.toEqual([])
    const ended = await run
    expect(ended.code, ended.stderr).toBe(0)
    await expect.poll(rooms, { timeout: 60_000 }).toEqual([])
    expect(readdirSync(state).filter((name) => name.includes('room'))).toEqual([])
  })

  test('R000-06: the network is not there, and neither is the main checkout', async () => {
    const root = await project()
    const ask = "require('net').connect(53,'127.0.0.1').on('error',()=>process.exit(7))"
    const runs = [
      { argv: ['sh', '-c', `node -e "${ask}"; test $? = 7`], must: true },
      { argv: ['sh', '-c', `! test -e ${join(root, 'README.md')}`], must: true },
    ]
    const ended = await behindWalls(root, [{ writes: { 'work.txt': 'done\n' }, runs, commits: 'the work' }])
    expect(ended.code, ended.stderr).toBe(0)
  })

  test('R001-83: two runs and a person who commits, fetches, switches and tags meanwhile: no alarm, nothing undone', async () => {
    const root = await project(npmProject)
    const origin = await makeRepository()
    await gitIn(root, 'remote', 'add', 'origin', origin)
    const does = (name: string): Entry[] => [
      { writes: { [name]: 'done\n' }, runs: [{ argv: ['npm', 'test'], must: true }], commits: name },
    ]
    const both = Promise.all([behindWalls(root, does('one.txt')), behindWalls(root, does('two.txt'))])
    const over = new AbortController()
    void both.finally(() => over.abort())
    let commits = 0
    for (let round = 1; round <= 5 || !over.signal.aborted; round++) {
      await writeFiles(root, { 'person.txt': `${round}\n` })
      await commitAll(root, `by hand ${round}`)
      await commitAll(origin, `far away ${round}`)
      await gitIn(root, 'fetch', '-q', 'origin')
      await gitIn(root, 'switch', '-q', '-c', `side-${round}`)
      await gitIn(root, 'tag', `tag-${round}`)
      await gitIn(root, 'config', 'user.signingKey', String(round))
      await gitIn(root, 'switch', '-q', 'main')
      commits += 1
    }
    const ends = await both
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
    expect(Number(await gitIn(root, 'rev-list', '--count', 'main'))).toBe(commits + 1)
    const tags = (await gitIn(root, 'tag')).split('\n')
    expect(tags).toHaveLength(commits)
    expect(await gitIn(root, 'rev-parse', 'origin/main')).toBe(await gitIn(origin, 'rev-parse', 'main'))
    expect(await gitIn(root, 'config', 'user.signingKey')).toBe(String(commits))
    await gitIn(root, 'fsck', '--strict')
    // Seen and written down, and that is all.
    const lines = await Promise.all(
      ['1', '2'].map((run) => readFile(join(root, `.baton/runs/${run}.log.jsonl`), 'utf8')),
    )
    expect(lines.join('')).toContain('"repository.changed"')
    expect(await gitIn(root, 'for-each-ref', 'refs/baton/1/guard', 'refs/baton/2/guard')).toBe('')
  })
})

test('with the walls switched off a run says so on the screen and in what it reports', async () => {
  const root = await project()
  const ended = await behindWalls(root, [{ writes: { 'work.txt': 'done\n' }, commits: 'the work' }], 'off')
  expect(ended.code, ended.stderr).toBe(0)
  expect(ended.stderr).toContain('THE WALLS ARE DOWN')
  expect(documentOf(ended).walls).toBe('down')
  const shown = await baton(root, ['show'], { home: await hardHome() })
  expect(shown.stdout).toContain('DOWN (sandbox: off)')
  const page = join(root, 'report.html')
  await baton(root, ['report', '1', '--output', page], { home: await hardHome() })
  expect(await readFile(page, 'utf8')).toContain('DOWN (sandbox: off)')
})

function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
    } catch {
      return []
    }
  })
}
