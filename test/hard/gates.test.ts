// What an agent may claim and the engine does not believe: each gate not met, sent back with the facts, then mended.
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runSummary } from '../../src/views/run-summary.ts'
import { coded, playGated } from '../support/gated-run.ts'
import { commits, developed, playPipeline } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const work = { 'src/app.txt': 'two\n' }
const twoCases = "it('a', () => { expect(f(1)).toBe(1) })\nit('b', () => { expect(f(2)).toBe(2) })\n"
const oneCase = "it('a', () => { expect(f(1)).toBe(1) })\n"

describe.concurrent('every step of an agent', () => {
  it('is judged by its scope and its artifact, with the facts in the journal and in what is shown', async () => {
    const run = await playGated({ coder: [coded(work)] })
    const facts = run.lines.filter(({ type }) => type === 'gate.checked').map(({ data }) => data['facts'])
    expect(facts).toEqual([
      "1 path changed, all of them the role's to change",
      "written in this step: 'notes/plan.md'",
      "2 paths changed, all of them the role's to change",
      "written in this step: 'notes/report.md'",
    ])
    expect(runSummary(run.state, '')).toContain(
      "met artifact_written: written in this step: 'notes/report.md'",
    )
  })

  it('has these gates judged once where a workflow names them', async () => {
    const run = await playGated({ gates: '[within_scope, artifact_written]', coder: [coded(work)] })
    const judged = run.lines.filter(({ type, data }) => type === 'gate.checked' && data['step'] === 'code')
    expect(judged.map(({ data }) => data['gate'])).toEqual(['within_scope', 'artifact_written'])
    expect(run.end).toMatchObject({ exitCode: 0 })
  })

  it('that did not write its artifact says so as a gate, after its repairs', async () => {
    const run = await playGated({ coder: [{ writes: work, answer: {} }] })
    expect(sequence(run).slice(-5)).toEqual([
      'gate artifact_written not met',
      'snapshot made: invalid',
      'code#1 failed invalid',
      ...steps.asks('code'),
    ])
    expect(run.state.steps.at(-1)?.gates.at(-1)?.facts).toBe("not written in this step: 'notes/report.md'")
  })
})

describe.concurrent('commit_is_new', () => {
  /** Commits, and claims whatever git makes of the revision. */
  const claims = (revision: string): Entry => ({
    writes: { '{writes}': '- [x] done\n', ...work },
    runs: [
      ['git', 'add', '-A'],
      ['git', 'commit', '-q', '-m', 'feat: work'],
      ['sh', '-c', `printf '{"commit_hash":"%s"}\\n' $(git rev-parse "${revision}")`],
    ],
  })

  it.each([
    ['an old commit', 'HEAD~1'],
    ['a tree', 'HEAD^{tree}'],
    ['a blob', 'HEAD:README.md'],
    ['a commit on no branch', '$(git commit-tree -m x HEAD^{tree})'],
  ])('does not take the hash of %s', async (_, revision) => {
    const mends = coded({ 'src/app.txt': 'three\n' }, { answer: { commit_hash: '{commit}' } })
    const run = await playGated({ gates: '[commit_is_new]', coder: [claims(revision), mends] })
    expect(run.gates[0]).toMatch(/^code#1 commit_is_new not met: commit [0-9a-f]{40} is not among the 1/)
    expect(run.gates[1]).toMatch(/^code#2 commit_is_new met: [0-9a-f]{12} is on the task branch/)
  })

  it('does not take an empty commit beside work that was left uncommitted', async () => {
    const run = await playGated({
      gates: '[commit_is_new]',
      coder: [
        {
          writes: { '{writes}': '- [x] done\n', ...work },
          runs: [['git', 'commit', '-q', '--allow-empty', '-m', 'done']],
          answer: {},
        },
        coded({ 'src/app.txt': 'three\n' }),
      ],
    })
    expect(run.gates).toEqual([
      'code#1 commit_is_new not met: the commits of this step change nothing',
      'code#2 commit_is_new met: 1 new on the task branch',
    ])
  })
})

describe.concurrent('no_unplanned_deletions', () => {
  const files = { 'src/old.txt': 'old\n', 'src/kept.txt': 'kept\nfor\nlater\n' }
  const gates = '[{ no_unplanned_deletions: plan }]'

  it('sends back what deleted a file that the plan does not name, until it is there again', async () => {
    const run = await playGated({
      ...{ files, gates },
      plan: 'Delete `src/old.txt`.\n',
      coder: [
        coded(work, { remove: ['src/old.txt', 'src/kept.txt'] }),
        coded({ 'src/app.txt': 'three\n' }),
        coded({ 'src/kept.txt': 'kept\nfor\nlater\n' }),
      ],
    })
    const missing = "not met: 1 file deleted that the plan does not name: 'src/kept.txt'. Bring back"
    // The second round deleted nothing itself, and the file is gone all the same.
    expect(run.gates[0]).toContain(`code#1 no_unplanned_deletions ${missing}`)
    expect(run.gates[1]).toContain(`code#2 no_unplanned_deletions ${missing}`)
    expect(run.end).toMatchObject({ type: 'waiting' })
    const after = await run.tell('answer', 'Bring it back.')
    expect(after.gates.at(-1)).toBe("code#3 no_unplanned_deletions met: planned: 'src/old.txt'")
    expect(after.end).toMatchObject({ exitCode: 0 })
  })

  it('is not taken in by a plan that the coder has changed itself', async () => {
    const run = await playGated({
      ...{ files, gates },
      coder: [coded({ ...work, 'notes/plan.md': 'Delete src/old.txt.\n' }, { remove: ['src/old.txt'] })],
    })
    expect(run.gates[0]).toMatch(/^code#1 no_unplanned_deletions not met/)
  })

  it('takes a person at their word', async () => {
    const run = await playGated({
      ...{ files, gates },
      coder: [
        coded(work, { remove: ['src/old.txt'] }),
        coded({ 'src/app.txt': '3\n' }),
        coded({ 'src/app.txt': '4\n' }),
      ],
    })
    expect(run.state.verbs).toEqual(['reject', 'answer'])
    const after = await run.tell('answer', 'src/old.txt may go.')
    expect(after.gates.at(-1)).toBe("code#3 no_unplanned_deletions met: planned: 'src/old.txt'")
  })

  it('sees through a file that was emptied, and not a rename', async () => {
    const run = await playGated({
      ...{ files, gates },
      coder: [
        coded({ 'src/old.txt': '' }, { runs: [['git', 'mv', 'src/kept.txt', 'src/moved.txt']] }),
        coded({ 'src/old.txt': 'old\n' }),
      ],
    })
    expect(run.gates[0]).toContain(
      "not met: 1 file deleted that the plan does not name: 'src/old.txt (emptied)'",
    )
    expect(run.gates[1]).toBe('code#2 no_unplanned_deletions met: nothing was deleted')
  })
})

describe.concurrent('tests_not_weakened', () => {
  const gates = '[{ tests_not_weakened: plan }]'

  it('remembers what an earlier round has weakened', async () => {
    const run = await playGated({
      ...{ gates, files: { 'test/a.test.js': twoCases } },
      coder: [
        coded({ 'test/a.test.js': oneCase }),
        coded(work),
        coded({ 'test/a.test.js': `${twoCases}${oneCase.replace("'a'", "'c'")}` }),
      ],
    })
    const weaker = "not met: 1 test case fewer in 'test/a.test.js (2 before, 1 now)'"
    expect(run.gates[0]).toContain(`code#1 tests_not_weakened ${weaker}`)
    expect(run.gates[1]).toContain(`code#2 tests_not_weakened ${weaker}`)
    const after = await run.tell('reject', 'Bring the case back.')
    expect(after.gates.at(-1)).toBe(
      'code#3 tests_not_weakened met: 1 test file changed: 2 cases before, 3 now; 2 assertions before, 3 now',
    )
  })

  it('finds a test that is left out, and a test command that was made to pass', async () => {
    const run = await playGated({
      ...{ gates, files: { 'test/a.test.js': twoCases } },
      coder: [
        coded({ 'test/a.test.js': twoCases.replace("it('b'", "it.skip('b'"), 'check.sh': 'true\n' }),
        coded({ 'test/a.test.js': twoCases, 'check.sh': '! grep -rq BROKEN src\n' }),
      ],
    })
    expect(run.gates[0]).toMatch(
      /tests are left out by 'test\/a.test.js: it.skip\('b'.*; how the tests are run was changed in 'check.sh'/,
    )
    expect(run.gates[1]).toBe('code#2 tests_not_weakened met: no test was changed')
  })

  it('does not blame the branch for tests that the base has dropped, merged or not', async () => {
    const run = await playGated({
      ...{
        gates,
        delivery: gates,
        files: { 'test/a.test.js': twoCases },
        later: { 'test/a.test.js': oneCase },
      },
      coder: [coded(work)],
    })
    expect(run.gates).toEqual([
      'code#1 tests_not_weakened met: no test was changed',
      'deliver#1 tests_not_weakened met: no test was changed',
    ])
    expect(await run.git('show', `${run.state.branch}:test/a.test.js`)).toBe(oneCase.trim())
  })
})

describe.concurrent('version_and_changelog', () => {
  it('R001-114: sends back what did not bring them up to date', async () => {
    const run = await playGated({
      gates: '[version_and_changelog]',
      files: { VERSION: '1.0.0\n', 'CHANGES.md': '- first\n' },
      coder: [coded({ VERSION: '1.1.0\n' }), coded({ 'CHANGES.md': '- second\n- first\n' })],
    })
    expect(run.gates).toEqual([
      "code#1 version_and_changelog not met: not changed on the branch: 'CHANGES.md'",
      "code#2 version_and_changelog met: changed on the branch: 'VERSION', 'CHANGES.md'",
    ])
  })
})

describe.concurrent('checklist_done', () => {
  it('R001-115: sends back a report that lacks an item of the plan, leaves one open or proves it with nothing', async () => {
    const run = await playGated({
      gates: '[{ checklist_done: plan }]',
      plan: '## Expected Deliverables\n- src/new.txt\n\n## Completion Checklist\n- [ ] It is new\n- [ ] It is tested\n',
      coder: [
        coded(work, { report: '- [x] It is new: `src/nowhere.txt:3`\n- [ ] It was late\n' }),
        coded(
          { 'src/new.txt': 'new\n' },
          { report: '- [x] It is new: `src/new.txt:1`\n- [x] It is tested\n' },
        ),
      ],
    })
    expect(run.gates).toEqual([
      "code#1 checklist_done not met: items of the plan that the report lacks: 'It is tested'; not done: 'It was late'; ticked with what does not exist: 'src/nowhere.txt'; promised by the plan and not there: 'src/new.txt'",
      'code#2 checklist_done met: 2 items ticked, 2 of them from the plan',
    ])
  })
})

describe.concurrent('diff_not_empty', () => {
  it('does not let a branch pass that holds documents and nothing else', async () => {
    const run = await playGated({
      gates: '[diff_not_empty]',
      coder: [coded({ 'notes/more.md': 'I have thought about it.\n' }), coded(work)],
    })
    expect(run.gates).toEqual([
      "code#1 diff_not_empty not met: the branch changes nothing but the workflow's own documents",
      'code#2 diff_not_empty met: 1 path changed on the branch',
    ])
  })
})

describe.concurrent('tests_pass_clean', () => {
  const delivery = '[tests_pass_clean]'
  const needsFile = { 'check.sh': 'test -f answer.txt\n', '.gitignore': 'answer.txt\nnode_modules/\n' }

  it('finds tests that pass only because of a file that nobody committed', async () => {
    const run = await playGated({
      ...{ delivery, gates: '[tests_pass]', files: needsFile },
      coder: [
        coded({ ...work, 'answer.txt': '42\n' }),
        coded({ '.gitignore': 'node_modules/\n', 'answer.txt': '42\n' }),
      ],
    })
    expect(run.gates.map((line) => line.replace(/[0-9a-f]{12}/, '<tip>').replace(/, log: .*/, ''))).toEqual([
      "code#1 tests_pass met: 'sh check.sh' exit code 0",
      "deliver#1 tests_pass_clean not met: 'sh check.sh' exit code 1 on a clean checkout of <tip>",
      "code#2 tests_pass met: 'sh check.sh' exit code 0",
      "deliver#2 tests_pass_clean met: 'sh check.sh' exit code 0 on a clean checkout of <tip>",
    ])
    const around = await readdir(dirname(run.state.worktree))
    expect(around.filter((name) => name.includes('.clean-'))).toEqual([])
  })

  it('links the dependencies that are ignored, and says so, where no command sets them up', async () => {
    const run = await playGated({
      ...{
        delivery,
        files: { ...needsFile, 'check.sh': 'cat node_modules/dep && git log -1 --format=%s\n' },
      },
      coder: [coded({ ...work, 'node_modules/dep': 'dependency\n' })],
    })
    expect(run.gates[0]).toMatch(
      /^deliver#1 tests_pass_clean met: .* linked from the worktree: node_modules$/,
    )
  })

  it('is prepared by the set-up commands of the project, and by nothing that an agent left', async () => {
    const run = await playGated({
      delivery,
      settings:
        'worktree: { setup: [[sh, -c, "mkdir -p node_modules && cp answer.in node_modules/answer"]] }\n',
      files: {
        ...needsFile,
        'answer.in': 'set up\n',
        'check.sh': 'grep -q mended node_modules/answer || exit 1\n',
      },
      coder: [coded({ ...work, 'node_modules/answer': 'mended\n' }), coded({ 'answer.in': 'mended\n' })],
    })
    expect(run.gates.map((line) => line.split(':')[0])).toEqual([
      'deliver#1 tests_pass_clean not met',
      'deliver#2 tests_pass_clean met',
    ])
    expect(run.gates[1]).toContain("set up by 'sh -c mkdir")
  })

  it('a set-up that fails on what is committed is a finding, not the end of the run', async () => {
    const run = await playGated({
      delivery,
      settings: 'worktree: { setup: [[sh, -c, "test ! -f src/bad.txt"]] }\n',
      coder: [coded({ 'src/bad.txt': 'x\n' }), coded(work, { remove: ['src/bad.txt'] })],
    })
    expect(run.gates[0]).toMatch(
      /^deliver#1 tests_pass_clean not met: on a clean checkout of .*The set-up command/,
    )
    expect(run.end).toMatchObject({ exitCode: 0 })
  })

  it('removes what a crash has left of an earlier checkout', async () => {
    const broken = (text: string): Entry => coded({ 'src/app.txt': `BROKEN ${text}\n` })
    const run = await playGated({ delivery, coder: [broken('once'), broken('twice')] })
    expect(run.state.currentStep).toBe('deliver')
    const left = `${run.state.worktree}.clean-of-a-crash`
    await mkdir(left)
    await writeFile(join(run.folder.git, 'clean-checkout'), left)
    await writeFile(join(run.state.worktree, 'src/app.txt'), 'mended by hand\n')
    const after = await run.tell('answer', 'I have mended it.')
    expect(after.end).toMatchObject({ exitCode: 0 })
    expect(existsSync(left)).toBe(false)
  })

  it('stands before the delivery of the pipeline: the Developer gets the evidence, once, then a person is asked who cannot approve', async () => {
    const leaves = commits({ 'src/app.txt': 'dark mode\n', 'answer.txt': '42\n' })
    const again = { ...commits({ 'src/app.txt': 'dark mode, again\n' }), expects: ['tests_pass_clean'] }
    const run = await playPipeline({ files: needsFile, roles: { developer: [leaves, again] } })
    const toDelivery = (n: number) => [
      ...[...steps.code(n), ...steps.auditPasses(n), ...steps.mergedCleanly(n), ...steps.mergePasses(n)],
      ...steps.archive(n),
      `deliver#${n} started`,
      ...['check tests fail', 'gate tests_pass_clean not met', `deliver#${n} revise tests_pass_clean`],
    ]
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(), ...steps.planApproved()],
      ...[...toDelivery(1), 'route deliver -> code (1 of 1)'],
      ...toDelivery(2),
      ...steps.asks('deliver', 'reject, answer'),
    ])
    expect(run.state.question).toContain("tests_pass_clean: 'sh check.sh' exit code 1 on a clean checkout of")
    expect(await run.prompt('code#2')).toContain(
      "- plan: read 'docs/dev_docs/archived/plans/plan_dark_mode_toggle.md'",
    )
  })
})

describe.concurrent('the gates of the pipeline', () => {
  it('name every reason in the next prompt, and the Developer who mends them all goes on', async () => {
    const careless: Entry = {
      writes: { '{writes}': '- [ ] the toggle is there: no time\n', 'src/app.txt': 'dark mode\n' },
      runs: [['git', 'rm', '-q', 'src/kept.txt']],
      commits: 'feat: dark mode',
      answer: { status: 'success', commit_hash: '{commit}', tests_passed: true },
    }
    const mends = { ...developed, runs: [['git', 'checkout', '-q', 'HEAD~1', '--', 'src/kept.txt']] }
    const run = await playPipeline({
      files: { 'src/kept.txt': 'kept\n' },
      roles: { developer: [careless, mends], auditor: [{ ends: { exit: 2 } }] },
      workflow: { 'max_attempts: 3': 'max_attempts: 1' },
    })
    const prompt = await run.prompt('code#2')
    expect(prompt).toContain(
      "no_unplanned_deletions: 1 file deleted that the plan does not name: 'src/kept.txt'",
    )
    expect(prompt).toContain("checklist_done: not done: 'the toggle is there: no time'")
    expect(sequence(run)).toContain('code#2 ok success')
    expect(existsSync(`${run.worktree}/src/kept.txt`)).toBe(true)
  })
})
