// A run from beginning to end, and the commands that look at it.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, makeFolder, makeRepository, writeFiles } from '../support/git.ts'
import {
  baton,
  documentOf,
  journalOf,
  listOf,
  scriptBeside,
  smallProject,
  smallWorkflow,
  startBaton,
  thenAsk,
  tracesIn,
  untilFact,
  works,
} from './baton.ts'

const tested = {
  'README.md': 'hello\n',
  '.baton/config.yaml': 'checks: { tests: { command: [test, -f, README.md] } }\n',
}

const dark = `roles:
  architect:
    - writes:
        "{writes}": |
          # Plan
          ## Reference Documents
          - one
          ## Detailed Logic
          - one
          ## Test Scenarios
          None: there is nothing to run.
          ## Documentation Updates
          None: nobody uses it yet.
          ## Expected Deliverables
          - one
          ## Completion Checklist
          - one
      answer: { plan_path: "{writes}" }
  plan_reviewer: [{ answer: { verdict: APPROVE } }]
  developer:
    - writes: { toggle.js: "export const dark = true\\n", "{writes}": "- [x] one\\n" }
      commits: "feat: dark mode"
      answer: { status: success, commit_hash: "{commit}", tests_passed: true }
  auditor: [{ answer: { verdict: PASS, review_path: "{writes}" } }]
  merge_auditor: [{ answer: { verdict: PASS } }]
`

describe.concurrent('the pipeline in mode direct', () => {
  test('R001-136, R001-138, R001-140 to R001-156, R001-160: prints the lines of the specification and leaves a branch to merge', async () => {
    const root = await makeRepository(tested)
    const task = 'Add a simple Dark Mode toggle to the main settings page. Use a checkbox.'
    const args = ['--task', task, '--provider', 'scripted', '--script', await scriptBeside(root, dark)]
    const { code, stdout, stderr } = await baton(root, args)
    const lines = stdout.split('\n').map((line) => line.replace(/Commit: [0-9a-f]{7}\./, 'Commit: HASH.'))
    const said = lines.filter((line) => line.startsWith('['))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(said.every((line) => /^\[\d\d:\d\d:\d\d\] [A-Z ]+: \S/.test(line))).toBe(true)
    expect(said.map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, ''))).toEqual([
      'ORCHESTRATOR: Task Received.',
      "ORCHESTRATOR: Created branch 'task/1-dark-mode-toggle'.",
      'ORCHESTRATOR: Spawning ARCHITECT...',
      "ARCHITECT: Implementation Plan created at 'docs/dev_docs/plans/plan_dark_mode_toggle.md'.",
      'ORCHESTRATOR: Committing Plan... OK.',
      'ORCHESTRATOR: Verifying plan... OK. (Review Committed)',
      'ORCHESTRATOR: Spawning DEVELOPER...',
      'DEVELOPER: Implementation complete. Tests passed. Commit: HASH.',
      'ORCHESTRATOR: Spawning AUDITOR...',
      "AUDITOR: Review passed. Report at 'docs/dev_docs/reviews/code_review_dark_mode_toggle_v1.md'.",
      'ORCHESTRATOR: Committing Review Report... OK.',
      "ORCHESTRATOR: Merging 'main'... OK.",
      'ORCHESTRATOR: Spawning AUDITOR...',
      "AUDITOR: Merge review passed. Report at 'docs/dev_docs/reviews/merge_review_dark_mode_toggle_v1.md'.",
      'ORCHESTRATOR: Committing Review Report... OK.',
      'ORCHESTRATOR: Archiving documents... OK.',
      'ORCHESTRATOR: To merge: git merge task/1-dark-mode-toggle',
      "ORCHESTRATOR: Pipeline Success! Branch 'task/1-dark-mode-toggle' is ready for merge.",
    ])
    expect(lines.slice(-3)).toEqual([
      'Look: git log --graph --oneline main..task/1-dark-mode-toggle',
      '      baton show 1',
      '',
    ])
    await gitIn(root, 'merge', '--quiet', 'task/1-dark-mode-toggle')
    expect(await gitIn(root, 'show', 'HEAD:toggle.js')).toBe('export const dark = true')
  })
})

describe.concurrent('baton run', () => {
  test('R001-160: with --json gives exactly one document on stdout and everything else on stderr', async () => {
    const { root, script } = await smallProject(works)
    const ended = await baton(root, ['run', '--task', 'Write the work', '--script', script, '--json'])
    expect(documentOf(ended)).toEqual({
      ...{ run: '1', outcome: 'delivered', exit_code: 0, repository: root, base: 'main' },
      branch: 'task/1-work',
      worktree: join(root, '..', '.worktrees', '1-work'),
      journal: join(root, '.baton', 'runs', '1.log.jsonl'),
    })
    expect(ended.code).toBe(0)
  })

  test('R001-136: is what is meant where only --task and --mode are given, in any order', async () => {
    const { root, script } = await smallProject(works)
    const ended = await baton(root, ['--json', '--task', 'Write the work', '--script', script])
    expect(documentOf(ended)).toMatchObject({ outcome: 'delivered' })
  })

  test('leaves main, the index and the files of the user as they were', async () => {
    const { root, script } = await smallProject(works)
    await writeFiles(root, { 'README.md': 'changed, not committed\n', 'notes.txt': 'mine\n' })
    const before = [await gitIn(root, 'status', '--porcelain'), await gitIn(root, 'rev-parse', 'main')]
    await baton(root, ['run', 'Write the work', '--script', script])
    expect([await gitIn(root, 'status', '--porcelain'), await gitIn(root, 'rev-parse', 'main')]).toEqual(
      before,
    )
    expect(await gitIn(root, 'diff', '--stat', 'main', 'task/1-work')).toContain('work.txt')
  })

  test('says at its start what the checkout has and the branch does not begin with', async () => {
    const { root, script } = await smallProject(works)
    await gitIn(root, 'clone', '--quiet', '--bare', '.', '../upstream.git')
    await gitIn(root, 'remote', 'add', 'origin', '../upstream.git')
    await gitIn(root, 'fetch', '--quiet')
    await gitIn(root, 'remote', 'set-head', 'origin', 'main')
    const start = await gitIn(root, 'rev-parse', '--short=9', 'HEAD')
    await gitIn(root, 'commit', '--quiet', '--allow-empty', '-m', 'not pushed')
    const { stdout } = await baton(root, ['run', 'Write the work', '--script', script])
    expect(stdout).toContain(
      `The branch begins at origin/main (${start}). Not part of it: 1 commit of your checkout, and what is not committed.`,
    )
  })

  test('starts at --from, is merged with --base, and takes inputs', async () => {
    const { root, script } = await smallProject(works)
    await gitIn(root, 'branch', 'release')
    const start = await gitIn(root, 'rev-parse', 'main')
    await writeFiles(root, { 'later.txt': 'later\n' })
    await gitIn(root, 'add', '-A')
    await gitIn(root, 'commit', '--quiet', '-m', 'later')
    const flags = ['--from', 'main~1', '--base', 'release', '--input', 'colour=red', '--json']
    const { base } = documentOf(await baton(root, ['run', 'Write the work', '--script', script, ...flags]))
    expect(base).toBe('release')
    expect(await gitIn(root, 'merge-base', 'main', 'task/1-work')).toBe(start)
    expect((await journalOf(root))[0]?.data['inputs']).toMatchObject({ colour: 'red' })
  })

  test('works where no branch is checked out, with --base', async () => {
    const { root, script } = await smallProject(works)
    await gitIn(root, 'checkout', '--quiet', '--detach')
    expect((await baton(root, ['run', 'Write the work', '--script', script, '--base', 'main'])).code).toBe(0)
  })

  test('works from a folder inside the repository, with paths as they are typed there', async () => {
    const { root } = await smallProject(works)
    await writeFiles(root, { 'deep/down/script.yaml': works })
    const ended = await baton(join(root, 'deep/down'), [
      'run',
      'Write the work',
      '--script',
      'script.yaml',
      '--json',
    ])
    expect(documentOf(ended)).toMatchObject({ outcome: 'delivered', repository: root })
  })

  test("C-80: takes its settings from the project's file over the user's, in YAML or JSON", async () => {
    const home = await makeFolder()
    const files = { ...smallWorkflow(), '.baton/config.yaml': 'workflow: small\nprovider: scripted\n' }
    const root = await makeRepository(files)
    const script = await scriptBeside(root, works)
    const user = { workflow: 'pipeline', base: 'release', scripted: { script } }
    await writeFiles(home, { '.config/baton/config.json': JSON.stringify(user) })
    await gitIn(root, 'branch', 'release')
    const ended = await baton(root, ['run', 'Write the work', '--json'], { home })
    expect(documentOf(ended)).toMatchObject({ outcome: 'delivered', base: 'release' })
    expect((await journalOf(root))[0]?.data['workflow']).toBe('small')
  })

  test('that fails says so with exit 1, the step and the reason', async () => {
    const { root, script } = await smallProject('roles: { worker: [{ ends: { exit: 7 } }] }')
    const file = '.baton/workflows/small.yaml'
    const text = smallWorkflow()[file] ?? ''
    await writeFiles(root, { [file]: text.replace('failed: ask', 'failed: fail') })
    const ended = await baton(root, ['run', 'Write the work', '--script', script, '--json'])
    expect(documentOf(ended)).toMatchObject({ outcome: 'failed', exit_code: 1, step: 'work' })
    expect(documentOf(ended).reason).toContain('exit code 7')
    expect(ended.code).toBe(1)
  })

  test('whose time is over ends with exit 4, and goes on with more time', async () => {
    const slow = 'roles: { worker: [{ delay: 2s, answer: { status: success } }] }'
    const { root, script } = await smallProject(slow)
    const limited = ['run', 'Write the work', '--script', script, '--time-limit', '1s', '--json']
    expect(documentOf(await baton(root, limited))).toMatchObject({ outcome: 'time', exit_code: 4 })
    expect((await baton(root, ['show'])).stdout).toMatch(
      /status +out_of_time.*\n[\s\S]*Next: baton resume 1 --time-limit 2h .*\n/,
    )
    expect((await baton(root, ['resume', '1', '--time-limit', '5m'])).code).toBe(0)
  })
})

describe.concurrent('runs, show and logs', () => {
  test('tell of a run that is over, in words and as documents', async () => {
    const { root, script } = await smallProject(works)
    expect((await baton(root, ['runs'])).stdout).toBe(
      'No runs yet. Start one: baton run "<what you want done>"\n',
    )
    expect(documentOf(await baton(root, ['runs', '--json']))).toEqual([])
    await baton(root, ['run', 'Write the work\nall of it', '--script', script])

    const told = async (...args: string[]) => (await baton(root, args)).stdout
    expect(await told('runs')).toMatch(/^RUN {2}STATUS .*TASK\n1 {4}delivered {2}small .*Write the work\n$/)
    expect(await told('show')).toMatch(
      /^Run 1: Write the work\n {2}status {5}delivered\n[\s\S]*\nNext: git merge task\/1-work\n$/,
    )
    expect((await told('logs')).replaceAll(/\[.*?\] /g, '')).toBe(
      ['work begins.', 'work ended ok.', 'deliver begins.', 'deliver ended ok.']
        .map((words) => `ORCHESTRATOR: ${words}\n`)
        .join(''),
    )
    expect(await told('logs', '--follow')).toContain('Run 1 is delivered. To merge it into main: git merge')

    const known = { run: '1', status: 'delivered', workflow: 'small', current_step: 'deliver', exit_code: 0 }
    expect(listOf(await baton(root, ['runs', '--json']))).toMatchObject([known])
    const state = documentOf(await baton(root, ['show', '--json']))
    expect(state).toMatchObject({ ...known, task: 'Write the work\nall of it', base: 'main' })
    expect(listOf(await baton(root, ['logs', '--json']))).toEqual(await journalOf(root))
  })

  test('R001-158: show and logs --follow tell of a run that is going on, until its end', async () => {
    const { root, script } = await smallProject(
      `roles: { worker: [{ runs: [[sh, -c, "for i in $(seq 6000); do test -f ../../go && break; sleep 0.05; done"]], answer: { status: success } }] }`,
    )
    const run = await startBaton(root, ['run', 'Write the work', '--script', script, '--workflow', 'small'])
    await untilFact(root, 'agent.started')
    const follower = await startBaton(root, ['logs', '--follow', '--json'])
    expect((await baton(root, ['show'])).stdout).toMatch(
      /status {5}running\n[\s\S]*work +WORKER +under way\n[\s\S]*Next: baton logs 1 --follow\n/,
    )
    await writeFiles(join(root, '..'), { go: '' })
    expect((await run.ended).code).toBe(0)
    const followed = await follower.ended
    expect(followed).toMatchObject({ code: 0, stderr: '' })
    expect(documentOf(followed)).toEqual(await journalOf(root))
  })

  test('logs --follow goes past the questions that were answered long ago', async () => {
    const { root, script } = await smallProject(works, thenAsk)
    await baton(root, ['run', 'Write the work', '--script', script])
    expect((await baton(root, ['logs', '--follow'])).stdout).toMatch(
      /Run 1 waits for you: Merge 'task\/1-work'\?\n {2}baton approve 1\n {2}baton reject 1 "<text>"\nThen: baton resume 1\n$/,
    )
    await baton(root, ['approve', '1'])
    await baton(root, ['resume', '1'])
    const followed = listOf(await baton(root, ['logs', '--follow', '--json']))
    expect(followed.at(-1)?.type).toBe('run.finished')
  })

  test('logs --follow ends where the process of the run is gone', async () => {
    const { root, script } = await smallProject('roles: { worker: [{ ends: { hang: true } }] }')
    const run = await startBaton(root, ['run', 'Write the work', '--script', script])
    await untilFact(root, 'agent.started')
    const follower = await startBaton(root, ['logs', '--follow'])
    run.child.kill('SIGKILL')
    expect(await follower.ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Run 1 was interrupted[^]*baton resume 1\n$/) as unknown,
    })
    expect((await baton(root, ['approve', '1'])).stderr).toBe(
      'error: Run 1 is stopped: it asks nothing.\nnext: baton resume 1\n',
    )
    await baton(root, ['cancel'])
    expect((await baton(root, ['logs', '--follow'])).stdout).toMatch(/Run 1 was cancelled\. Its branch .*\n$/)
    expect((await baton(root, ['show'])).stdout).toMatch(/work +WORKER +broken off\n/)
  })

  test('nobody who stops reading is answered with a stack', async () => {
    const { root, script } = await smallProject(works)
    await baton(root, ['run', 'Write the work', '--script', script])
    const reader = await startBaton(root, ['logs', '--json'])
    reader.child.stdout?.destroy()
    expect((await reader.ended).stderr).toBe('')
  })
})

test('traces of a run are its own: the journal and files under .baton/runs, refs/baton, its branch and worktree', async () => {
  const { root, script } = await smallProject(works)
  await baton(root, ['run', 'Write the work', '--script', script])
  const { refs, ...others } = await tracesIn(root)
  expect(others).toMatchObject({ runs: ['1', '1.log.jsonl'], folders: ['1-work'], status: [] })
  expect(refs.every((ref) => ref === 'refs/heads/task/1-work' || ref.startsWith('refs/baton/1/'))).toBe(true)
})

test('with nothing to archive, the mode archive delivers nothing, and says so', async () => {
  const root = await makeRepository(tested)
  const script = await scriptBeside(root, works)
  const flags = ['--mode', 'archive', '--provider', 'scripted', '--script', script]
  const { code, stdout } = await baton(root, ['run', 'Tidy up', ...flags])
  expect(stdout).toContain("Run 1 ended failed at 'archive': there is nothing to archive")
  expect(stdout).not.toMatch(/delivered|Success|OK\./)
  expect(code).toBe(1)
})
