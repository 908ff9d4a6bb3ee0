// What people do to the repository while agents work in it.
import { execFileSync } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../src/model/event.ts'
import { textOf } from '../../src/model/json.ts'
import { warningWords } from '../../src/views/warning-words.ts'
import { commitAll, gitIn, makeRepository, writeFiles } from '../support/git.ts'
import { changes, goOn, resumeHard, runHard, shell } from '../support/hard.ts'
import type { HardEnd, HardRun } from '../support/hard.ts'

/** As a git that was killed leaves it. */
const leaveLock = 'for one in .git/worktrees/*; do touch -t 200001010000 "$one/index.lock"; done'

/** The conflict in `a.txt`. */
const settle = 'echo both > a.txt && git add a.txt && git -c core.editor=true'

const done = { writes: { 'work.txt': 'done\n' } }

/** A person's command line in the main repository, typed while the agent works. */
function typed(root: string, line: string): HardRun['does'][number] {
  return { ...done, runs: [shell(`cd '${root}' && ${line}`)] }
}

describe.concurrent('meanwhile the base', () => {
  test('is moved on: the merge brings it', async () => {
    const root = await makeRepository()
    // Also a file that is ignored, and tracked all the same.
    const line =
      "echo theirs > theirs.txt && echo '*.log' > .gitignore && echo kept > a.log && git add -f theirs.txt .gitignore a.log && git commit -qm theirs"
    const end = await runHard({ at: root, workflow: 'merge', does: [typed(root, line)] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
    expect(await gitIn(root, 'log', '-1', '--format=%s %an', end.branch)).toBe(
      'Merge main into task/1-work Baton',
    )
  })

  test('git-flow rule 5: is force-pushed away and pruned: what the task stands on is still there', async () => {
    const root = await makeRepository()
    const start = await commitAll(root, 'to be lost')
    const does = [
      typed(
        root,
        'git reset -q --hard HEAD~1 && git reflog expire --all --expire=now && git gc -q --prune=now',
      ),
    ]
    const end = await runHard({ at: root, does })
    expect(end.status).toBe('delivered')
    expect(await gitIn(root, 'rev-parse', `${end.branch}~1`, 'refs/baton/1/base')).toBe(`${start}\n${start}`)
    await gitIn(root, 'fsck', '--strict', '--no-dangling')
  })

  test('git-flow rule 5: is rewritten and pruned: it is merged as it stands now', async () => {
    const root = await makeRepository()
    await commitAll(root, 'to be amended')
    const line =
      'echo new > new.txt && git add new.txt && git commit -q --amend -m amended && git reflog expire --all --expire=now && git gc -q --prune=now'
    const end = await runHard({ at: root, workflow: 'merge', does: [typed(root, line)] })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
  })

  test('is deleted: the commit that it had is the base', async () => {
    const root = await makeRepository()
    const start = await gitIn(root, 'rev-parse', 'main')
    const does = [typed(root, 'git checkout -q --detach && git branch -q -D main')]
    const end = await runHard({ at: root, workflow: 'merge', does })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch, start)).toEqual({ 'work.txt': 'done' })
  })

  test('is checked out and dirty: the merge takes what is committed, and nothing else', async () => {
    const root = await makeRepository({ 'a.txt': 'a\n' })
    const end = await runHard({
      at: root,
      workflow: 'merge',
      does: [typed(root, 'echo dirty > a.txt; echo new > b.txt; git add b.txt')],
    })
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    expect(await gitIn(root, 'status', '--porcelain')).toBe(' M a.txt\nA  b.txt')
  })

  test('has a history that has nothing to do with the old one any more: the run stops and says so', async () => {
    const root = await makeRepository()
    const line =
      'git checkout -q --orphan anew && git commit -q --allow-empty -m anew && git branch -q -f main anew'
    const failure = await failureOf(runHard({ at: root, workflow: 'merge', does: [typed(root, line)] }))
    expect(failure).toMatchObject({ code: 'base.unrelated', exitCode: 3 })
  })

  test('of a shallow clone is fetched again with depth 1: the run stops and says how to go on', async () => {
    const origin = await makeRepository()
    await commitAll(origin, 'second')
    const root = join(origin, '..', 'clone')
    await gitIn(origin, 'clone', '-q', '--depth=1', `file://${origin}`, root)
    await commitAll(origin, 'third')
    await writeFiles(origin, { 'theirs.txt': 'theirs\n' })
    await commitAll(origin, 'fourth')
    const line = 'git fetch -q --depth=1 origin main'
    const failure = await failureOf(runHard({ at: root, workflow: 'merge', does: [typed(root, line)] }))
    expect(failure).toMatchObject({ code: 'base.unrelated', exitCode: 3 })
    expect(String(failure['next'])).toContain('git fetch --unshallow')
    await gitIn(root, 'fetch', '-q', '--unshallow')
    const end = await resumeHard(root)
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch, 'origin/main')).toEqual({ 'work.txt': 'done' })
  })
})

async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  return promise.then(
    (end) => ({ code: 'none', end }),
    (error: unknown) => error as Record<string, unknown>,
  )
}

describe.concurrent('meanwhile a person', () => {
  test('git-flow rule 9: commits to the task branch between two steps: it is taken over', async () => {
    const root = await makeRepository()
    const paused = await runHard({
      at: root,
      workflow: 'pause',
      does: [done, { writes: { 'more.txt': 'more\n' } }],
    })
    expect(paused.status).toBe('waiting')
    await writeFiles(paused.worktree, { 'mine.txt': 'mine\n' })
    await commitAll(paused.worktree, 'by hand')
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({
      'work.txt': 'done',
      'mine.txt': 'mine',
      'more.txt': 'more',
    })
    expect(await gitIn(root, 'log', '--format=%an', '-3', end.branch)).toBe('Baton\nAda Tester\nBaton')
  })

  test('commits a part of what was changed by hand: the rest is committed as theirs too, not as work of the next step', async () => {
    const root = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const does = [done, { writes: { 'more.txt': 'more\n' } }]
    const paused = await runHard({ at: root, workflow: 'pause', does })
    await writeFiles(paused.worktree, { 'a.txt': 'part\n' })
    await commitAll(paused.worktree, 'by hand')
    await writeFiles(paused.worktree, { 'a.txt': 'part and rest\n', 'b.txt': 'left out\n' })
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await gitIn(root, 'log', '--format=%an', '--name-only', '-3', end.branch)).toBe(
      'Baton\n\nmore.txt\nAda Tester\n\na.txt\nb.txt\nAda Tester\n\na.txt',
    )
  })

  test('git-flow rule 9: rewrites the task branch: the run stops with both commits named, and goes on as told', async () => {
    const root = await makeRepository()
    const paused = await runHard({ at: root, workflow: 'pause', does: [done] })
    const known = await gitIn(root, 'rev-parse', paused.branch)
    await gitIn(paused.worktree, 'commit', '-q', '--amend', '-m', 'rewritten')
    const found = await gitIn(root, 'rev-parse', paused.branch)
    const failure = await failureOf(goOn(root, paused))
    expect(failure).toMatchObject({
      code: 'branch.diverged',
      exitCode: 3,
      message: `task/1-work was rewritten: it is at ${found}, but Baton's last step is ${known}`,
    })
    await gitIn(paused.worktree, 'reset', '-q', '--keep', known)
    expect((await resumeHard(root)).status).toBe('delivered')
  })

  test('git-flow rule 9: commits to the task branch while the step works: the run stops with both named', async () => {
    const root = await makeRepository()
    const line = `git update-ref refs/heads/task/1-work $(git commit-tree -p main -m theirs main^{tree})`
    const failure = await failureOf(runHard({ at: root, does: [typed(root, line)] }))
    const found = await gitIn(root, 'rev-parse', 'task/1-work')
    expect(failure).toMatchObject({ code: 'branch.diverged', exitCode: 3 })
    expect(failure['message']).toContain(found)
    const [, ours = ''] = /work is ([0-9a-f]{40})/.exec(String(failure['message'])) ?? []
    await gitIn(root, 'update-ref', 'refs/heads/task/1-work', ours, found)
    expect((await resumeHard(root)).status).toBe('delivered')
  })

  test('has staged something in the worktree: it is committed as theirs, and nothing is left staged', async () => {
    const root = await makeRepository()
    const paused = await runHard({ at: root, workflow: 'pause', does: [done, {}] })
    await writeFiles(paused.worktree, { 'staged.txt': 'staged\n' })
    await gitIn(paused.worktree, 'add', 'staged.txt')
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done', 'staged.txt': 'staged' })
    expect(await gitIn(root, 'log', '-1', '--format=%an %s', end.branch)).toBe(
      'Ada Tester Changes made by hand in the worktree',
    )
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test.each([
    ['another branch', ['other'], "'other'"],
    ['no branch at all', ['--detach', 'main'], 'no branch'],
  ])(
    'has checked out %s in the worktree: the run stops, and goes on when it is back',
    async (_, args, named) => {
      const root = await makeRepository()
      await gitIn(root, 'branch', 'other')
      const paused = await runHard({ at: root, workflow: 'pause', does: [done, {}] })
      await gitIn(paused.worktree, 'checkout', '-q', ...args)
      const failure = await failureOf(goOn(root, paused))
      expect(failure).toMatchObject({ code: 'worktree.switched', exitCode: 3 })
      expect(failure['message']).toContain(named)
      const end = await back(root, paused)
      expect(end.status).toBe('delivered')
      expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    },
  )

  test.each([
    ['merge', ['merge', 'side'], 'git merge', ['merge', '--abort']],
    ['cherry-pick', ['cherry-pick', 'side'], 'git cherry-pick', ['cherry-pick', '--abort']],
    ['rebase', ['rebase', 'side'], 'git rebase', ['rebase', '--abort']],
    ['stash pop', ['stash', 'apply', 'stash@{0}'], 'work.txt', ['reset', '-q', '--hard']],
  ])(
    'worktree.unfinished: is in the middle of a %s in the worktree: the run stops, and goes on when it is over',
    async (_, args, named, over) => {
      const root = await makeRepository({ 'work.txt': 'none\n' })
      await writeFiles(root, { 'work.txt': 'stashed\n' })
      await gitIn(root, 'stash', '-q')
      await gitIn(root, 'checkout', '-q', '-b', 'side')
      await writeFiles(root, { 'work.txt': 'side\n' })
      await commitAll(root, 'side')
      await gitIn(root, 'checkout', '-q', 'main')
      const paused = await runHard({ at: root, workflow: 'pause', does: [done, {}] })
      await expect(gitIn(paused.worktree, ...args)).rejects.toThrow('Command failed')
      const failure = await failureOf(goOn(root, paused))
      expect(failure).toMatchObject({ code: 'worktree.unfinished', exitCode: 3 })
      expect(failure['message']).toContain(named)
      await gitIn(paused.worktree, ...over)
      const end = await resumeHard(root)
      expect(end.status).toBe('delivered')
      expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    },
  )

  test('worktree.narrowed: has made the worktree sparse: the run stops, and goes on when all is there again', async () => {
    const root = await makeRepository({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
    const paused = await runHard({ at: root, workflow: 'pause', does: [done, {}] })
    await gitIn(paused.worktree, 'sparse-checkout', 'set', 'in')
    const failure = await failureOf(goOn(root, paused))
    expect(failure).toMatchObject({ code: 'worktree.narrowed', exitCode: 3 })
    expect(failure['message']).toContain('out/b.txt')
    await gitIn(paused.worktree, 'sparse-checkout', 'disable')
    const end = await resumeHard(root)
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test.each(['skip-worktree', 'assume-unchanged'])(
    'worktree.flagged: has changed a file that git is not to look at (%s): the run stops, and goes on as told',
    async (flag) => {
      const root = await makeRepository({ 'local cfg': 'theirs\n', 'a.txt': 'a\n' })
      const paused = await runHard({ at: root, workflow: 'pause', does: [done, {}] })
      await gitIn(paused.worktree, 'update-index', `--${flag}`, 'local cfg')
      await writeFiles(paused.worktree, { 'local cfg': 'mine\n' })
      const failure = await failureOf(goOn(root, paused))
      expect(failure).toMatchObject({ code: 'worktree.flagged', exitCode: 3 })
      expect(await changes(root, paused.branch)).toEqual({ 'work.txt': 'done' })
      execFileSync('sh', ['-c', String(failure['next']).replace(/ {2}\(.*/, '')])
      const end = await resumeHard(root)
      expect(end.status).toBe('delivered')
      expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done', 'local cfg': 'mine' })
      expect(await gitIn(root, 'log', '-1', '--format=%an', end.branch)).toBe('Ada Tester')
    },
  )

  test('has told git not to look at a file, and has not changed it: the flag stays', async () => {
    const root = await makeRepository({ 'local.cfg': 'theirs\n' })
    const does = [done, { writes: { 'more.txt': 'more\n' } }]
    const paused = await runHard({ at: root, workflow: 'pause', does })
    await gitIn(paused.worktree, 'update-index', '--skip-worktree', 'local.cfg')
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await gitIn(end.worktree, 'ls-files', '-v')).toBe('S local.cfg\nH more.txt\nH work.txt')
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test.each([
    ['merge', 'ends it', `${settle} merge --continue`, 'both'],
    ['merge', 'breaks it off', 'git merge --abort', undefined],
    ['cherry-pick', 'ends it', `${settle} cherry-pick --continue`, 'both'],
    ['cherry-pick', 'breaks it off', 'git cherry-pick --abort', undefined],
  ])(
    'is in the middle of a %s when a step is kept, and %s: nothing of the step is taken back',
    async (command, _, line, merged) => {
      // The tests take their time, and he does not wait for them.
      const makefile = `test:\n\tgit ${command} side || true\n`
      const root = await makeRepository({
        'a.txt': 'a\n',
        'b.txt': 'b\n',
        'c.txt': 'c\n',
        Makefile: makefile,
      })
      const begun = `git checkout -q -b side && echo side > a.txt && git commit -qam side
        git checkout -q main && echo main > a.txt && git commit -qam main`
      execFileSync('sh', ['-c', begun], { cwd: root })
      const does = [{ writes: { 'b.txt': 'changed\n', 'work.txt': 'done\n' }, runs: [shell('rm c.txt')] }]
      const stopped = await failureOf(runHard({ at: root, workflow: 'tested', does }))
      expect(stopped).toMatchObject({ code: 'worktree.unfinished', exitCode: 3 })
      const worktree = join(root, '..', '.worktrees', '1-work')
      expect(await gitIn(worktree, 'status', '--porcelain')).toBe('UU a.txt')

      execFileSync('sh', ['-c', line], { cwd: worktree })
      const end = await resumeHard(root)
      expect(end.status).toBe('delivered')
      expect(await changes(root, end.branch)).toEqual({
        ...{ 'b.txt': 'changed', 'c.txt': 'deleted', 'work.txt': 'done' },
        ...(merged === undefined ? {} : { 'a.txt': merged }),
      })
      expect(await gitIn(worktree, 'status', '--porcelain')).toBe('')
    },
  )

  test('is in the middle of a rebase when a step is kept: what is proposed leaves it, and the step is not taken back', async () => {
    const makefile = 'test:\n\tgit rebase side || true\n'
    const root = await makeRepository({ 'a.txt': 'a\n', Makefile: makefile })
    const begun = `git checkout -q -b side && echo side > a.txt && git commit -qam side
      git checkout -q main && echo main > a.txt && git commit -qam main`
    execFileSync('sh', ['-c', begun], { cwd: root })
    const failure = await failureOf(runHard({ at: root, workflow: 'tested', does: [done] }))
    expect(failure).toMatchObject({ code: 'worktree.unfinished', exitCode: 3 })
    execFileSync('sh', ['-c', String(failure['next']).replace(/, then: baton resume 1$/, '')], { cwd: root })
    const end = await resumeHard(root)
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done' })
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test('deletes the task branch: the run stops, and goes on when it is back', async () => {
    const root = await makeRepository()
    const paused = await runHard({ at: root, workflow: 'pause', does: [done, {}] })
    const tip = await gitIn(root, 'rev-parse', paused.branch)
    await gitIn(root, 'update-ref', '-d', `refs/heads/${paused.branch}`)
    const failure = await failureOf(goOn(root, paused))
    expect(failure).toMatchObject({ code: 'branch.missing', exitCode: 3 })
    expect(String(failure['next'])).toBe(`git branch ${paused.branch} ${tip}  (then resume)`)
    await gitIn(root, 'branch', paused.branch, tip)
    expect((await resumeHard(root)).status).toBe('delivered')
  })

  test('deletes the task branch while the step works: the run stops, and the work can be had', async () => {
    const root = await makeRepository()
    const failure = await failureOf(
      runHard({ at: root, does: [typed(root, 'git update-ref -d refs/heads/task/1-work')] }),
    )
    expect(failure).toMatchObject({ code: 'branch.diverged', exitCode: 3 })
    const [, work = ''] = /work is ([0-9a-f]{40})/.exec(String(failure['message'])) ?? []
    expect(await gitIn(root, 'show', `${work}:work.txt`)).toBe('done')
    await gitIn(root, 'update-ref', 'refs/heads/task/1-work', work)
    expect((await resumeHard(root)).status).toBe('delivered')
  })

  test('collects garbage in between, everything, at once', async () => {
    const root = await makeRepository()
    const line = 'git reflog expire --all --expire=now && git gc -q --prune=now'
    const does = [typed(root, line), { ...typed(root, line), writes: { 'more.txt': 'more\n' } }]
    const paused = await runHard({ at: root, workflow: 'pause', does })
    await gitIn(root, 'gc', '-q', '--prune=now')
    await gitIn(root, 'repack', '-a', '-d', '-q')
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await changes(root, end.branch)).toEqual({ 'work.txt': 'done', 'more.txt': 'more' })
    await gitIn(root, 'fsck', '--strict')
  })

  test('leaves a lock on the index of the worktree: that it is behind is told, with what puts it right', async () => {
    const root = await makeRepository()
    const end = await runHard({ at: root, does: [typed(root, leaveLock)] })
    expect(end.status).toBe('delivered')
    const lines = (await readFile(end.folder.journal, 'utf8')).split('\n').filter((line) => line !== '')
    const warned = lines
      .map((line) => JSON.parse(line) as JournalLine)
      .filter(({ type }) => type === 'run.warned')
    expect(warned).toMatchObject([{ data: { about: 'index_held', worktree: end.worktree } }])
    expect(warningWords(warned[0]?.data ?? {})).toMatch(/index\.lock && git -C \S+ reset$/)
    execFileSync('sh', ['-c', textOf(warned[0]?.data['then'])])
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test('leaves a lock on the index, and removes it while the run waits: the next step finds it up to date', async () => {
    const root = await makeRepository()
    const paused = await runHard({ at: root, workflow: 'pause', does: [typed(root, leaveLock), {}] })
    expect(await gitIn(paused.worktree, 'diff', '--cached', '--name-only')).toBe('work.txt')
    await rm(await gitIn(paused.worktree, 'rev-parse', '--git-path', 'index.lock'))
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await gitIn(end.worktree, 'status', '--porcelain')).toBe('')
  })

  test('prunes worktrees and locks the one of the task: nothing is lost', async () => {
    const root = await makeRepository()
    const does = [typed(root, 'git worktree prune --expire=now'), { writes: { 'more.txt': 'more\n' } }]
    const paused = await runHard({ at: root, workflow: 'pause', does })
    await gitIn(root, 'worktree', 'lock', paused.worktree)
    const end = await goOn(root, paused)
    expect(end.status).toBe('delivered')
    expect(await readFile(join(end.worktree, 'more.txt'), 'utf8')).toBe('more\n')
  })
})

async function back(root: string, paused: HardEnd): Promise<HardEnd> {
  await gitIn(paused.worktree, 'checkout', '-q', paused.branch)
  return resumeHard(root)
}
