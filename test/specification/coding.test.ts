import { describe, expect, it } from 'vitest'
import { commits, developed, playPipeline } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const report = '- [x] the toggle is there\n'
const broken = commits({ 'src/app.txt': 'BROKEN\n' }, 'feat: broken')
const uncommitted: Entry = {
  writes: { '{writes}': report },
  answer: { status: 'success', commit_hash: '{commit}', tests_passed: true },
}
const wrongHash: Entry = {
  ...commits({ 'src/app.txt': 'dark mode\n' }),
  answer: { status: 'success', commit_hash: 'deadbeef', tests_passed: true },
}
const fails: Entry = {
  template: true,
  writes: { '{writes}': 'F1 (major): no test, round {n}\n' },
  answer: { verdict: 'FAIL', review_path: '{writes}' },
}
const passes: Entry = {
  writes: { '{writes}': 'F1: resolved\n' },
  answer: { verdict: 'PASS', review_path: '{writes}' },
}

/** All before the first line of code. */
const planned = [...steps.begin('direct'), ...steps.plan(), ...steps.planApproved()]

describe.concurrent('the Developer', () => {
  it('gets the approved plan by its path, commits itself, and the engine runs the tests (R001-46, R001-47, R001-73, R000-66 to R000-70, C-63)', async () => {
    const run = await playPipeline()
    expect(sequence(run)).toEqual([
      ...planned,
      ...steps.code(),
      ...steps.auditPasses(),
      ...steps.integration(),
    ])
    expect(await run.prompt('code#1')).toContain(`INPUT:\n- plan: read '${steps.paths.plan}'\n`)
    const check = run.lines.find(({ type }) => type === 'check.finished')
    expect(check?.data).toMatchObject({ step: 'code', command: 'sh check.sh', exit_code: 0 })
  })

  it('is asked again after tests that fail, whatever it claims, with the evidence in its next prompt (R001-47, C-22, C-63)', async () => {
    const run = await playPipeline({ roles: { developer: [broken, developed] } })
    expect(sequence(run)).toEqual([
      ...planned,
      ...[...steps.testsFail(1), 'route code -> code (1 of 2)'],
      ...[...steps.code(2), ...steps.auditPasses()],
      ...steps.integration(),
    ])
    expect(await run.prompt('code#2')).toContain("<<<FEEDBACK\ntests_pass: 'sh check.sh' exit code 1, log: ")
  })

  it('is asked again twice where it made no commit, named a wrong one, or left broken tests; then a person is, who cannot approve (R001-111, R001-116, C-10, C-22)', async () => {
    const run = await playPipeline({ roles: { developer: [uncommitted, wrongHash, broken] } })
    expect(sequence(run)).toEqual([
      ...planned,
      ...steps.codeWith(1, {
        made: ['commit by engine'],
        gates: ['gate commit_is_new not met', 'gate tests_pass met', ...steps.honest],
      }),
      'code#1 revise commit_is_new',
      'route code -> code (1 of 2)',
      ...steps.codeWith(2, {
        gates: ['gate commit_is_new not met', 'gate tests_pass met', ...steps.honest],
      }),
      'code#2 revise commit_is_new',
      'route code -> code (2 of 2)',
      ...steps.testsFail(3),
      ...steps.asks('code', 'reject, answer'),
    ])
    expect(await run.prompt('code#2')).toContain('commit_is_new: no commit was made in this step')
    expect(await run.prompt('code#3')).toContain(
      'commit_is_new: commit deadbeef is not among the 1 commits made in this step',
    )
    expect(run.end).toMatchObject({ type: 'waiting', exitCode: 3 })
  })

  it('may leave files uncommitted: the engine commits them after it (R001-71, C-68)', async () => {
    const leaves: Entry = {
      ...commits({ 'src/app.txt': 'dark mode\n', 'src/forgotten.txt': 'forgotten\n' }),
      commits: [{ message: 'feat: dark mode', add: ['src/app.txt'] }],
    }
    const run = await playPipeline({ roles: { developer: [leaves] } })
    expect(sequence(run)).toEqual([
      ...planned,
      ...steps.codeWith(1, {
        made: ['commit by agent', 'commit by engine'],
        gates: ['gate commit_is_new met', 'gate tests_pass met', ...steps.honest],
      }),
      'code#1 ok success',
      'DEVELOPER: Implementation complete. Tests passed. Commit: <commit>.',
      ...steps.auditPasses(),
      ...steps.integration(),
    ])
    expect(await run.file('src/forgotten.txt')).toBe('forgotten')
  })

  for (const status of ['failed', 'blocked'] as const) {
    it(`that is ${status} says why, and a person is asked (C-22, C-62)`, async () => {
      const gaveUp = { answer: { status, feedback: 'The plan asks for a page that does not exist.' } }
      const run = await playPipeline({ roles: { developer: [gaveUp] } })
      expect(sequence(run)).toEqual([...[...planned, ...steps.givesUp(1, status)], ...steps.asks('code')])
      expect(run.state.question).toBe(
        `Step 'code' ended ${status}: The plan asks for a page that does not exist.`,
      )
    })
  }
})

describe.concurrent('the Auditor', () => {
  it('FAIL returns the work to the Developer with the report; the next audit reads plan, whole diff and the earlier report (R001-12, R001-50, R001-53, R001-110, R001-117, R001-123, R000-17, R000-71, R000-75)', async () => {
    const run = await playPipeline({ roles: { auditor: [fails, passes] } })
    expect(sequence(run)).toEqual([
      ...planned,
      ...[...steps.code(1), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...[...steps.code(2), ...steps.auditPasses(2)],
      ...steps.integration(),
    ])
    const developer = await run.prompt('code#2')
    expect(developer).toContain(
      [
        "This is another round. What 'code_review' said about the last one:",
        '<<<FEEDBACK',
        '(see the files)',
        'FEEDBACK>>>',
        `The whole of it is in '${steps.paths.codeReview(1)}'.`,
      ].join('\n'),
    )
    expect(developer).toContain(`- code_review: read '${steps.paths.codeReview(1)}'`)
    const auditor = await run.prompt('code_review#2')
    expect(auditor).toContain(`- plan: read '${steps.paths.plan}'\n`)
    expect(auditor).toContain(
      "- diff: read '.baton/inputs/diff.patch' (all changes of the branch since it left 'main'",
    )
    expect(auditor).toContain(
      `- code_review: read '${steps.paths.codeReview(1)}' (your own findings of an earlier round`,
    )
    expect(await run.handed('code_review#2', 'diff.patch')).toContain('+dark mode, round 2\n')
  })

  it('after three rounds a further FAIL asks a person (C-10)', async () => {
    const others = ['names that mislead', 'an error is swallowed', 'the documentation is missing'].map(
      (about) => ({ ...fails, writes: { '{writes}': `F1 (major): ${about}\n` } }),
    )
    const run = await playPipeline({ roles: { auditor: [fails, ...others] } })
    expect(sequence(run)).toEqual([
      ...planned,
      ...[...steps.code(1), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...[...steps.code(2), ...steps.auditFails(2), 'route code_review -> code (2 of 3)'],
      ...[...steps.code(3), ...steps.auditFails(3), 'route code_review -> code (3 of 3)'],
      ...[...steps.code(4), ...steps.auditFails(4)],
      ...steps.asks('code_review'),
    ])
  })

  it('cannot pass work of which nothing is left: the Developer is asked again (C-10)', async () => {
    const takesBack = commits({ 'src/app.txt': 'light mode\n' }, 'revert: dark mode')
    const run = await playPipeline({
      roles: { developer: [developed, takesBack, developed], auditor: [fails, passes] },
    })
    expect(sequence(run)).toEqual([
      ...planned,
      ...[...steps.code(1), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...[...steps.code(2), ...steps.auditPasses(2).slice(0, -5)],
      ...['gate diff_not_empty not met', 'branch moved', 'code_review#2 revise diff_not_empty'],
      ...['ORCHESTRATOR: Committing Review Report... OK.', 'route code_review -> code (2 of 3)'],
      ...[...steps.code(3), ...steps.auditPasses(3)],
      ...steps.integration(),
    ])
  })

  it('FAIL gives the Developer both rounds for its gates again: going back over a step sets its counts to zero', async () => {
    const brokenAgain = commits({ 'src/app.txt': 'BROKEN again\n' }, 'feat: broken again')
    const run = await playPipeline({
      roles: {
        developer: [broken, brokenAgain, developed, broken, brokenAgain, developed],
        auditor: [fails, passes],
      },
    })
    expect(sequence(run)).toEqual([
      ...planned,
      ...[...steps.testsFail(1), 'route code -> code (1 of 2)'],
      ...[...steps.testsFail(2), 'route code -> code (2 of 2)'],
      ...[...steps.code(3), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...[...steps.testsFail(4), 'route code -> code (1 of 2)'],
      ...[...steps.testsFail(5), 'route code -> code (2 of 2)'],
      ...[...steps.code(6), ...steps.auditPasses(2)],
      ...steps.integration(),
    ])
  })

  it('that commits its report itself has it committed by the engine all the same (R001-54, R001-72, C-68)', async () => {
    const run = await playPipeline({
      roles: {
        auditor: [{ ...fails, commits: 'docs: my report' }],
        developer: [developed, { answer: { status: 'blocked', feedback: 'Enough.' } }],
      },
    })
    expect(sequence(run)).toEqual([
      ...[...planned, ...steps.code(1), ...steps.auditFails(1), 'route code_review -> code (1 of 3)'],
      ...steps.stop(2),
    ])
    expect(await run.git('log', '-1', '--format=%an %s', run.branch)).toBe('Baton AUDITOR: code_review FAIL')
  })

  it('never touches the code: what it changed is undone and kept, the step fails, and a person is asked (R001-13, C-90)', async () => {
    const meddles: Entry = {
      writes: { '{writes}': 'I have mended it myself.\n', 'src/app.txt': 'mended\n' },
      answer: { verdict: 'PASS', review_path: '{writes}' },
    }
    const run = await playPipeline({ roles: { auditor: [meddles] } })
    expect(sequence(run)).toEqual([
      ...planned,
      ...steps.code(),
      'code_review#1 started',
      'ORCHESTRATOR: Spawning AUDITOR...',
      'AUDITOR called',
      'AUDITOR exit 0',
      "answer refused for good: changed what it may not change: 'src/app.txt'; undone, kept as <ref>",
      'gate within_scope not met',
      'code_review#1 failed scope',
      ...steps.asks('code_review'),
    ])
    expect(await run.git('-C', run.worktree, 'status', '--porcelain')).toBe('')
    expect(await run.file('src/app.txt')).toBe('dark mode, round 1')
    const [ref] = /refs\/baton\/\S+/.exec(run.state.question) ?? []
    expect(await run.git('show', `${ref}:src/app.txt`)).toBe('mended')
  })
})

describe.concurrent('a role that may write documents only', () => {
  const roles = [
    { role: 'investigator', title: 'INVESTIGATOR', mode: 'bugfix' as const, step: 'investigate', before: [] },
    { role: 'researcher', title: 'RESEARCHER', mode: 'research' as const, step: 'research', before: [] },
    {
      ...{ role: 'lead_analyst', title: 'LEAD ANALYST', mode: 'bugfix' as const, step: 'analyst_review' },
      before: steps.investigate(),
    },
    { role: 'architect', title: 'ARCHITECT', mode: 'direct' as const, step: 'plan', before: [] },
    {
      ...{ role: 'plan_reviewer', title: 'LEAD ARCHITECT', mode: 'direct' as const, step: 'plan_review' },
      before: steps.plan(),
    },
    {
      ...{ role: 'merge_auditor', title: 'AUDITOR', mode: 'direct' as const, step: 'merge_review' },
      before: [
        ...[...steps.plan(), ...steps.planApproved(), ...steps.code()],
        ...[...steps.auditPasses(), ...steps.mergedCleanly()],
      ],
    },
  ]

  for (const { role, title, mode, step, before } of roles) {
    it(`the ${role} that changes code has it undone and kept, and a person is asked (R001-11, C-67, C-90)`, async () => {
      const meddles: Entry = { writes: { 'src/app.txt': 'mine\n' }, answer: {} }
      const run = await playPipeline({ mode, roles: { [role]: [meddles] } })
      expect(sequence(run)).toEqual([
        ...[...steps.begin(mode), ...before, `${step}#1 started`],
        // The plan review has its own words at its end, and none at its start.
        ...(step === 'plan_review' ? [] : [`ORCHESTRATOR: Spawning ${title}...`]),
        ...[`${title} called`, `${title} exit 0`],
        "answer refused for good: changed what it may not change: 'src/app.txt'; undone, kept as <ref>",
        'gate within_scope not met',
        `${step}#1 failed scope`,
        ...steps.asks(step),
      ])
      expect(await run.file('src/app.txt')).not.toBe('mine')
      expect(await run.git('-C', run.worktree, 'status', '--porcelain')).toBe('')
    })
  }
})

describe.concurrent('the branches of the repository', () => {
  it('do not exist for an agent: it can neither move nor make one (R001-79, R001-83)', async () => {
    const tries = [
      ['git', 'update-ref', 'refs/heads/main', 'HEAD'],
      ['git', 'branch', 'mine'],
      ['git', 'tag', 'mine'],
    ]
    const run = await playPipeline({ roles: { developer: [{ ...developed, runs: tries }] } })
    expect(sequence(run)).toEqual([...planned, ...steps.fromCode()])
    expect(await run.git('for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags')).toBe(
      'refs/heads/main\nrefs/heads/task/1-dark-mode-toggle',
    )
    expect(await run.git('log', '--format=%s', 'main')).toBe('first commit')
  })
})
