// Whatever stood in a worktree can be had back, by a command that Baton itself printed.
import { execFile } from 'node:child_process'
import { existsSync, watch } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { commitAll, gitEnvironment, gitIn, writeFiles } from '../support/git.ts'
import { filesOnly, listingOf } from '../support/tree-listing.ts'
import type { Listing } from '../support/tree-listing.ts'
import {
  baton,
  journalOf,
  program,
  smallProject,
  startBaton,
  thenAsk,
  until,
  untilFact,
  works,
  namesIn,
} from '../e2e/baton.ts'

const execute = promisify(execFile)
const task = 'Write the work'

/** What a person, or an agent that was cut off, may leave: every kind of file that git keeps. */
async function scribbleIn(worktree: string): Promise<void> {
  await writeFiles(worktree, {
    'README.md': 'changed by hand\n',
    'new.txt': 'never added\n',
    'deep/er/new.txt': 'neither\n',
    ' -odd\tname\n"quoted" ü .txt': 'odd\n',
  })
  await writeFile(join(worktree, 'binary.bin'), Buffer.from([0, 1, 2, 255, 254, 10, 13, 10, 0]))
  await writeFile(Buffer.concat([Buffer.from(`${worktree}/latin-`), Buffer.from([0xe9])]), 'é\n')
  await writeFile(join(worktree, 'run.sh'), '#!/bin/sh\n')
  await chmod(join(worktree, 'run.sh'), 0o755)
  await symlink('nowhere/at/all', join(worktree, 'dangling'))
}

/** And what git does not keep: ignored, nested, empty, or refused by its name. */
async function scribbleBeside(worktree: string): Promise<void> {
  await writeFiles(worktree, {
    'ignored/cache/one.txt': 'one\n',
    'ignored/-rf': 'a name like a flag\n',
    'crlf.txt': 'unix\nmixed\r\n',
  })
  await symlink('one.txt', join(worktree, 'ignored', 'cache', 'link'))
  await mkdir(join(worktree, 'empty', 'folder'), { recursive: true })
  await mkdir(join(worktree, 'nested'))
  await gitIn(join(worktree, 'nested'), 'init', '--quiet')
  await writeFiles(worktree, { 'nested/inner.txt': 'inner\n' })
  await commitAll(join(worktree, 'nested'), 'inner')
}

/** The commands of a kind that stand in what was printed, as a person would type them. */
function commandsIn(printed: string, beginning: string): string[] {
  return printed
    .split('\n')
    .map((line) => line.slice(line.indexOf(beginning)))
    .filter((line) => line.startsWith(beginning))
}

/** Types a printed command into a shell. */
async function type(root: string, command: string): Promise<void> {
  const shell = command.replace(/^baton /, `'${process.execPath}' '${program}' `)
  await execute('/bin/sh', ['-c', shell], { cwd: root, env: gitEnvironment })
}

async function projectWith(script: string, rest?: string): Promise<{ root: string; script: string }> {
  const project = await smallProject(script, rest)
  await writeFiles(project.root, { '.gitignore': 'ignored/\n', '.gitattributes': 'crlf.txt text=auto\n' })
  await commitAll(project.root, 'ignore')
  return project
}

function worktreeOf(root: string): string {
  return join(root, '..', '.worktrees', '1-work')
}

/** Refs, worktrees, and every file of the repository and of what stands beside it. */
async function everything(root: string): Promise<Listing> {
  return {
    ...(await listingOf(join(root, '..'), { without: [] })),
    refs: await gitIn(root, 'for-each-ref'),
    worktrees: await gitIn(root, 'worktree', 'list'),
  }
}

describe.concurrent('clean', () => {
  test('git-flow rule 12: of a delivered run removes the worktree; the command it prints brings back every byte, ignored ones too', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    await scribbleIn(worktree)
    await scribbleBeside(worktree)
    await gitIn(worktree, 'add', 'new.txt')
    const before = await listingOf(worktree)
    const branch = await gitIn(root, 'rev-parse', 'task/1-work')

    const { stdout, code } = await baton(root, ['clean', '1'])
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/^Run 1 \(delivered\): removed .*1-work, .*engine; [\d.]+ \w+ freed\n/)
    expect(await gitIn(root, 'worktree', 'list')).not.toContain('1-work')
    expect(await gitIn(root, 'rev-parse', 'task/1-work')).toBe(branch)

    const [command = ''] = commandsIn(stdout, 'baton restore')
    await type(root, command)
    expect(await listingOf(worktree)).toEqual(before)
    // And the run can go on in it.
    expect((await baton(root, ['undo', '1', '--to', 'work'])).code).toBe(0)
    expect(await gitIn(worktree, 'status', '--porcelain')).toBe('')
  })

  test('keeps what only the worktree knows: a detached commit, and what was staged and then changed', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    await writeFiles(worktree, { 'staged.txt': 'staged\n' })
    await gitIn(worktree, 'add', 'staged.txt')
    await writeFiles(worktree, { 'staged.txt': 'changed after\n' })
    await gitIn(worktree, 'checkout', '--quiet', '--detach')
    await gitIn(worktree, 'commit', '--quiet', '--allow-empty', '-m', 'on no branch')
    const lost = await gitIn(worktree, 'rev-parse', 'HEAD')
    await writeFiles(worktree, { 'again.txt': 'again\n' })
    await gitIn(worktree, 'add', 'again.txt')
    await writeFiles(worktree, { 'again.txt': 'changed after\n' })
    await baton(root, ['clean', '1'])
    const kept = await gitIn(root, 'for-each-ref', '--format=%(objectname)', 'refs/baton/1')
    expect(kept).toContain(lost)
    const staged = await gitIn(root, 'log', '--all', '--grep=Staged in the worktree', '--format=%H')
    expect(await gitIn(root, 'show', `${staged}:again.txt`)).toBe('again')
  })

  test('leaves a worktree that was moved where it is, and keeps the commits of one that was deleted', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const moved = join(root, '..', 'moved')
    await gitIn(root, 'worktree', 'move', worktreeOf(root), moved)
    await gitIn(moved, 'checkout', '--quiet', '--detach')
    expect((await baton(root, ['clean', '1'])).stdout).toMatch(
      /\n {2}back: git worktree add \S+ task\/1-work\n$/,
    )
    await gitIn(moved, 'commit', '--quiet', '--allow-empty', '-m', 'still a worktree')

    await baton(root, ['run', task, '--script', script])
    const second = join(root, '..', '.worktrees', '2-work')
    await gitIn(second, 'checkout', '--quiet', '--detach')
    await gitIn(second, 'commit', '--quiet', '--allow-empty', '-m', 'on no branch')
    const lost = await gitIn(second, 'rev-parse', 'HEAD')
    await rm(second, { recursive: true })
    await baton(root, ['clean', '2'])
    expect(await gitIn(root, 'for-each-ref', '--format=%(objectname)', 'refs/baton/2')).toContain(lost)
  })

  test('puts a worktree that git cannot hold into an archive as a whole', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    await scribbleIn(worktree)
    await writeFiles(worktree, { 'git~1': 'a name that git refuses\n' })
    const before = await listingOf(worktree)
    const { stdout } = await baton(root, ['clean', '1'])
    const [command = ''] = commandsIn(stdout, 'baton restore')
    await type(root, command)
    expect(await listingOf(worktree)).toEqual(before)
  })

  test('leaves a worktree whose ignored files are too many in place; --drop-ignored goes ahead', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    await scribbleIn(worktree)
    await writeFiles(worktree, { 'ignored/large.bin': 'x'.repeat(2000) })
    const before = await listingOf(worktree)
    const { stdout } = await baton(root, ['clean', '1', '--save-up-to', '1kB'])
    expect(stdout).toMatch(
      /^Run 1 \(delivered\): stays, 1 MB in its worktree are in no snapshot; keep them: baton clean 1 --save-up-to 1MB/,
    )
    expect(await listingOf(worktree)).toEqual(before)
    const dropped = await baton(root, ['clean', '1', '--save-up-to', '1kB', '--drop-ignored'])
    await type(root, commandsIn(dropped.stdout, 'baton restore')[0] ?? '')
    const { 'ignored/': _folder, 'ignored/large.bin': _file, ...rest } = before
    expect(await listingOf(worktree)).toEqual(rest)
  })

  test('--dry-run says the same and changes nothing at all', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    await scribbleIn(worktree)
    await scribbleBeside(worktree)
    const before = await everything(root)
    const foreseen = await baton(root, ['clean', '1', '--dry-run'])
    expect(await everything(root)).toEqual(before)
    const done = await baton(root, ['clean', '1'])
    const words = foreseen.stdout.replace('would remove', 'removed')
    expect(done.stdout.replaceAll(/[\d.]+ \w+ freed/g, '')).toBe(words.replaceAll(/[\d.]+ \w+ freed/g, ''))
  })

  test('passes over runs that ended lately, that can be resumed, that are locked or stood in', async () => {
    const { root, script } = await projectWith(works, thenAsk)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    const stays = async (...args: string[]): Promise<string> => (await baton(root, ['clean', ...args])).stdout
    expect(await stays('--older-than', '0s')).toMatch(
      /^Run 1 \(waiting\): stays, it is waiting and can be resumed/,
    )
    await gitIn(root, 'worktree', 'lock', '--reason', 'mine', worktree)
    expect(await stays('1')).toBe(
      `Run 1 (waiting): stays, git worktree lock (mine); git worktree unlock ${worktree}\n`,
    )
    await gitIn(root, 'worktree', 'unlock', worktree)
    const inside = await baton(worktree, ['clean', '1'])
    expect(inside.stdout).toMatch(/^Run 1 \(waiting\): stays, process \d+ stands in /)
    await baton(root, ['cancel', '1'])
    expect(await stays()).toBe('Run 1 (cancelled): stays, it ended too recently\n')
    expect(await stays('--older-than', '0s')).toMatch(/^Run 1 \(cancelled\): removed /)
    expect(await stays('--older-than', '0s')).toBe('Nothing to clean.\n')
    expect(await stays()).toBe('Nothing to clean.\n')
    expect(await namesIn(dirname(root))).not.toContain('.worktrees')
  })

  test('of a run that waits, when it is named, leaves it fit to go on: resume makes the worktree again', async () => {
    const { root, script } = await projectWith(works, thenAsk)
    await baton(root, ['run', task, '--script', script])
    const worktree = worktreeOf(root)
    const before = await listingOf(worktree)
    const { stdout } = await baton(root, ['clean', '1'])
    expect(await gitIn(root, 'worktree', 'list')).not.toContain('1-work')
    await baton(root, ['approve', '1'])
    const [resume = ''] = commandsIn(stdout, 'baton resume')
    await type(root, resume)
    expect(await listingOf(worktree)).toEqual(before)
    expect((await journalOf(root)).at(-1)).toMatchObject({ type: 'run.finished', data: { outcome: 'ok' } })
  })

  test('--merged-branches deletes a branch that is part of its base, and prints how to have it again', async () => {
    const { root, script } = await projectWith(works)
    await baton(root, ['run', task, '--script', script])
    const tip = await gitIn(root, 'rev-parse', 'task/1-work')
    expect((await baton(root, ['clean', '1', '--merged-branches'])).stdout).not.toContain(
      'branch task/1-work',
    )
    await gitIn(root, 'merge', '--quiet', 'task/1-work')
    const { stdout } = await baton(root, ['clean', '1', '--merged-branches'])
    expect(await gitIn(root, 'branch', '--list', 'task/*')).toBe('')
    await type(root, commandsIn(stdout, 'git branch')[0] ?? '')
    expect(await gitIn(root, 'rev-parse', 'task/1-work')).toBe(tip)
  })
})

// By itself: it has to kill in the right moment.
test("clean takes what a clean that was killed had put aside, and nothing of that form that is not the run's", async () => {
  const { root, script } = await projectWith(works)
  await baton(root, ['run', task, '--script', script])
  const folder = dirname(worktreeOf(root))
  const other = '1-work.4711-0123456789ab1.tmp'
  await writeFiles(folder, { [`${other}/theirs.txt`]: 'theirs\n' })
  const aside = await killedAtRename(root)
  expect(await namesIn(folder)).toEqual([other, aside].toSorted())

  const foreseen = await baton(root, ['clean', '1', '--dry-run'])
  expect(foreseen.stdout).toContain(`would remove ${join(folder, aside)}`)
  const { code, stdout } = await baton(root, ['clean', '--older-than', '0s'])
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/^Run 1 \(delivered\): removed .* freed\n(?: {2}back: .*\n)+$/)
  expect(stdout).toContain(join(folder, aside))
  expect(await namesIn(folder)).toEqual([other])
  expect((await baton(root, ['clean', '1'])).stdout).toBe('Nothing to clean.\n')
})

/** Gives the name under which the worktree of run 1 is left by a clean that is killed in the moment in which it goes. */
async function killedAtRename(root: string): Promise<string> {
  const folder = dirname(worktreeOf(root))
  const before = await namesIn(folder)
  const cleaning = await startBaton(root, ['clean', '1'])
  const watcher = watch(folder, () => {
    if (!existsSync(worktreeOf(root))) cleaning.child.kill('SIGKILL')
  })
  await cleaning.ended
  watcher.close()
  const [aside = ''] = (await namesIn(folder)).filter((name) => !before.includes(name))
  return aside
}

/** Leaves all kinds of files behind, then ends as it is told. */
const scribbles = (ends: string): string => `steps:
  work:
    - runs:
        - [sh, -c, "printf 'a\\\\000b' > half.bin; echo run > half.sh; chmod +x half.sh; ln -s half.sh link; echo new > 'odd  name'; echo more >> README.md"]
        - [sh, -c, "touch ../../scribbled"]
${ends}
`

const sleepsOnce = `        - [sh, -c, "test -e ../../slept || { touch ../../slept; sleep 60; }"]
      answer: { status: success }`

describe.concurrent('what an agent left', () => {
  test('in a step that failed is kept, and the number that is shown gives it back', async () => {
    const { root, script } = await projectWith(
      scribbles(`        - [sh, -c, "mkdir ../../copy && cp -a . ../../copy && rm ../../copy/.git"]
      ends: { exit: 3 }`),
    )
    await baton(root, ['run', task, '--script', script])
    await givesBack(root, join(root, '..', 'copy'))
  })

  test('when the run was killed is kept by resume', async () => {
    const { root, script } = await projectWith(scribbles('        - [sleep, "60"]'))
    const run = await startBaton(root, ['run', task, '--script', script])
    await untilFact(root, 'agent.started')
    await until(() => readdir(join(root, '..')).then((all) => all.includes('scribbled')), 'the agent at work')
    run.child.kill('SIGKILL')
    await run.ended
    await keepCopy(root)
    const resumed = await startBaton(root, ['resume', '1'])
    await until(async () => (await gitIn(root, 'for-each-ref', 'refs/baton/1/1')) !== '', 'the snapshot')
    resumed.child.kill('SIGINT')
    await resumed.ended
    await givesBack(root, join(root, '..', 'copy'))
  })

  test.each([[['resume', '1']], [['clean', '1']]])(
    "when the run was killed, with what a person has committed and staged since: %j keeps both, and the author's name",
    async (words) => {
      const { root, script } = await projectWith(scribbles(sleepsOnce))
      const run = await startBaton(root, ['run', task, '--script', script])
      await until(() => readdir(join(root, '..')).then((all) => all.includes('slept')), 'the agent at work')
      run.child.kill('SIGKILL')
      await run.ended
      const worktree = worktreeOf(root)
      await writeFiles(worktree, { 'theirs.txt': 'theirs\n', 'staged.txt': 'only staged\n' })
      await gitIn(worktree, 'add', 'theirs.txt')
      await gitIn(worktree, 'commit', '--quiet', '--author', 'Bob <bob@example.org>', '-m', 'by hand')
      await gitIn(worktree, 'add', 'staged.txt')
      await writeFiles(worktree, { 'staged.txt': 'changed after\n' })
      expect((await baton(root, words)).code).toBe(0)
      expect(await gitIn(root, 'log', '--format=%an', '--grep=by hand', '--glob=refs/baton/1')).toBe('Bob')
      const refs = (await gitIn(root, 'for-each-ref', '--format=%(refname)', 'refs/baton/1')).split('\n')
      const staged = refs.map((ref) => gitIn(root, 'show', `${ref}:staged.txt`).catch(() => ''))
      expect(await Promise.all(staged)).toContain('only staged')
    },
  )

  test('when the run was cancelled stays in the worktree, and clean keeps it', async () => {
    const { root, script } = await projectWith(scribbles('        - [sleep, "60"]'))
    const run = await startBaton(root, ['run', task, '--script', script])
    await until(() => readdir(join(root, '..')).then((all) => all.includes('scribbled')), 'the agent at work')
    await baton(root, ['cancel', '1'])
    await run.ended
    await keepCopy(root)
    const { stdout } = await baton(root, ['clean', '1'])
    const [command = ''] = commandsIn(stdout, 'baton restore')
    await type(root, command)
    expect(filesOnly(await listingOf(worktreeOf(root)))).toEqual(
      filesOnly(await listingOf(join(root, '..', 'copy'))),
    )
  })
})

async function keepCopy(root: string): Promise<void> {
  await execute('cp', ['-a', worktreeOf(root), join(root, '..', 'copy')])
  await rm(join(root, '..', 'copy', '.git'))
}

/** The first snapshot that show names, with the command that it prints, holds what the copy holds. */
async function givesBack(root: string, copy: string): Promise<void> {
  const { stdout } = await baton(root, ['show', '1'])
  const number = /\n {2}(\d+) .*\n {2}Get one back/.exec(stdout)?.[1] ?? 'none'
  const [command = ''] = commandsIn(stdout, 'baton restore 1 <n>')
  await type(root, command.replace('<n>', number).replace('<dir>', '../back'))
  expect(filesOnly(await listingOf(join(root, '..', 'back')))).toEqual(filesOnly(await listingOf(copy)))
}

test('a worktree that somebody deleted is made again by the command that show prints, with all that steps have made', async () => {
  const { root, script } = await projectWith(
    `roles:
  worker:
    - runs: [[sh, -c, "printf 'a\\\\000b' > made.bin; echo run > made.sh; chmod +x made.sh; ln -s made.sh link"]]
      answer: { status: success }
`,
    thenAsk,
  )
  await baton(root, ['run', task, '--script', script])
  const worktree = worktreeOf(root)
  const before = await listingOf(worktree)
  await rm(worktree, { recursive: true })
  await baton(root, ['approve', '1'])
  const { stdout } = await baton(root, ['show', '1'])
  await type(root, commandsIn(stdout, 'baton resume')[0] ?? '')
  expect(await listingOf(worktree)).toEqual(before)
  expect((await journalOf(root)).at(-1)).toMatchObject({ type: 'run.finished', data: { outcome: 'ok' } })
})

test('what an undo puts back can be had again by the command that it prints; ignored files stay', async () => {
  const { root, script } = await projectWith(works, thenAsk)
  await baton(root, ['run', task, '--script', script])
  const worktree = worktreeOf(root)
  await scribbleIn(worktree)
  const before = filesOnly(await listingOf(worktree))
  await writeFiles(worktree, { 'ignored/mine.txt': 'mine\n' })
  const { stdout, stderr } = await baton(root, ['undo', '1', '--to', 'work'])
  expect(await gitIn(worktree, 'status', '--porcelain'), stderr).toBe('')
  await type(root, commandsIn(stdout, 'baton restore')[0] ?? '')
  expect(filesOnly(await listingOf(join(root, '..', 'restored-1')))).toEqual(before)
  expect(await listingOf(join(worktree, 'ignored'))).toEqual({ 'mine.txt': expect.any(String) as string })
})

test('a merge that failed leaves its half-merged files as a snapshot, and both sides where they were', async () => {
  const { root, script } = await projectWith(
    'steps: { work: [{ writes: { shared.txt: "ours\\n" }, answer: {} }] }',
    '  - { id: integrate, do: merge-base, on: { conflict: fail } }\n',
  )
  await writeFiles(root, { 'shared.txt': 'theirs\n' })
  const theirs = await commitAll(root, 'the work of others')
  await baton(root, ['run', task, '--script', script, '--from', 'main~1', '--base', 'main'])
  expect(await gitIn(root, 'rev-parse', 'main')).toBe(theirs)
  expect(await gitIn(root, 'show', 'task/1-work:shared.txt')).toBe('ours')
  expect(await gitIn(worktreeOf(root), 'status', '--porcelain')).toBe('')
  const { stdout } = await baton(root, ['show', '1'])
  const number = /\n {2}(\d+) .*in conflict\n/.exec(stdout)?.[1] ?? 'none'
  const [command = ''] = commandsIn(stdout, 'baton restore 1 <n>')
  await type(root, command.replace('<n>', number).replace('<dir>', '../back'))
  expect(await readFile(join(root, '..', 'back', 'shared.txt'), 'utf8')).toMatch(
    /^<<<<<<< .*\nours\n=======\ntheirs\n>>>>>>> .*\n$/,
  )
})

test('what a run that was killed while it was made has left is cleaned, and the run can still be resumed', async () => {
  const { root, script } = await projectWith(works)
  await baton(root, ['run', task, '--script', script])
  const folder = join(root, '.baton', 'runs', '1')
  const start = await gitIn(root, 'rev-parse', 'main')
  // As it is between the branch and the checkout: no fact but the first.
  await gitIn(root, 'worktree', 'remove', '--force', worktreeOf(root))
  await mkdir(worktreeOf(root))
  await gitIn(root, 'update-ref', 'refs/heads/task/1-work', start)
  await writeFiles(folder, {
    'git/workspace.json': JSON.stringify({
      ...{ state: 'creating', branch: { name: 'task/1-work', start }, worktree: worktreeOf(root) },
    }),
  })
  const [first = ''] = (await readFile(`${folder}.log.jsonl`, 'utf8')).split('\n')
  await writeFile(`${folder}.log.jsonl`, `${first}\n`)
  await mkdir(join(root, '.baton', 'runs', '7', 'frozen'), { recursive: true })
  const { stdout } = await baton(root, ['clean', '--older-than', '0s'])
  expect(stdout).toContain(
    `Run 1 (stopped): removed branch task/1-work, ${worktreeOf(root)}; 0 bytes freed\n`,
  )
  expect(stdout).toContain(`removed ${join(root, '.baton/runs/7')}, left by a run that never began\n`)
  expect(await gitIn(root, 'branch', '--list', 'task/*')).toBe('')
  expect((await baton(root, ['resume', '1'])).code).toBe(0)
})
