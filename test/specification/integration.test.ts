import { describe, expect, it } from 'vitest'
import { commits, playPipeline, resolved } from '../support/pipeline.ts'
import type { Entry } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

/** What a colleague did on main meanwhile. */
const elsewhere = { 'src/other.txt': 'something else\n' }
const sameLines = { 'src/app.txt': 'light mode, but nicer\n' }

const moveMain = 'git -C "$HOME" commit --quiet --allow-empty -m "meanwhile $n"'

const fails = (reason: string): Entry => ({ answer: { verdict: 'FAIL', reason } })
const passes: Entry = { answer: { verdict: 'PASS' } }

const success = { status: 'success', commit_hash: '{commit}', tests_passed: true }
const commitMerge = [
  ['git', 'add', '-A'],
  ['git', 'commit', '--quiet', '--no-edit'],
]
const commitOn = [
  ['git', 'add', '-A'],
  ['git', 'commit', '--quiet', '-m', 'fix: the merge'],
]

/** All before the integration. */
const coded = [
  ...steps.begin('direct'),
  ...[...steps.plan(), ...steps.planApproved(), ...steps.code(), ...steps.auditPasses()],
]

/** The specialist's step up to its end, with what its gates found. */
const resolveWith = (n: number, { check = 'pass', gates }: { check?: string; gates: readonly string[] }) => [
  `resolve#${n} started`,
  'ORCHESTRATOR: Spawning INTEGRATION SPECIALIST...',
  'INTEGRATION SPECIALIST called',
  'INTEGRATION SPECIALIST exit 0',
  'answer accepted',
  'commit by agent',
  'gate within_scope met',
  `check tests ${check}`,
  ...gates,
  'branch moved',
]
const markersLeft = [
  ...['gate no_conflict_markers not met', 'gate merge_commit met', 'gate tests_pass met'],
  'gate tests_not_weakened met',
]

describe.concurrent('the merge of main', () => {
  it('makes no commit where the branch is up to date (R001-55, R001-56, R001-75)', async () => {
    const run = await playPipeline()
    expect(sequence(run)).toEqual([...coded, ...steps.integration()])
    expect(await run.git('rev-list', '--merges', run.branch)).toBe('')
    expect(await run.git('merge-base', '--is-ancestor', 'main', run.branch)).toBe('')
  })

  it('is committed by the engine where it is clean, no specialist is called, and main can take the branch (R001-56, R001-57, R001-61, R001-62, R001-77, R001-156)', async () => {
    const run = await playPipeline({ later: elsewhere })
    expect(sequence(run)).toEqual([...coded, ...steps.integration()])
    expect(await run.git('log', '--merges', '--format=%s', run.branch)).toBe(
      'Merge main into task/1-dark-mode-toggle',
    )
    expect([await run.file('src/app.txt'), await run.file('src/other.txt')]).toEqual([
      'dark mode, round 1',
      'something else',
    ])
    await run.git('merge', '--quiet', '--ff-only', run.branch)
    expect(await run.git('show', 'main:src/app.txt')).toBe('dark mode, round 1')
  })

  it('in conflict spawns the Integration Specialist, who gets the conflicts and the plan and commits the merge (R001-57 to R001-61, R001-76, R001-120 to R001-122)', async () => {
    const run = await playPipeline({ later: sameLines })
    expect(sequence(run)).toEqual([
      ...coded,
      ...[...steps.mergedInConflict(), ...steps.resolve()],
      ...[...steps.mergePasses(), ...steps.archive(), ...steps.deliver()],
      ...steps.success(),
    ])
    const prompt = await run.prompt('resolve#1')
    expect(prompt).toContain(
      "- conflicts: read '.baton/inputs/conflicts.txt' (what git says about the conflicts",
    )
    expect(prompt).toContain(`- plan: read '${steps.paths.plan}'`)
    const [merge] = (await run.git('log', '--merges', '--format=%P', run.branch)).split('\n')
    expect(merge?.split(' ')[1]).toBe(await run.git('rev-parse', 'main'))
    expect(await run.file('src/app.txt')).toBe('dark mode and light mode')
  })

  it('is repeated where main has moved before the delivery, with its review (R001-55, R001-75)', async () => {
    const run = await playPipeline({ onCheck: `if [ $n = 2 ]; then ${moveMain}; fi` })
    expect(sequence(run)).toEqual([
      ...coded,
      ...steps.movedMeanwhile(1),
      'route deliver -> integrate (1 of 2)',
      ...[...steps.mergedCleanly(2), ...steps.mergePasses(2), ...steps.archive(2), ...steps.deliver(2)],
      ...steps.success(),
    ])
    expect(await run.git('merge-base', '--is-ancestor', 'main', run.branch)).toBe('')
  })

  it('is repeated twice, then a person is asked (C-10)', async () => {
    const run = await playPipeline({ onCheck: `if [ $n -gt 1 ]; then ${moveMain}; fi` })
    expect(sequence(run)).toEqual([
      ...coded,
      ...[...steps.movedMeanwhile(1), 'route deliver -> integrate (1 of 2)'],
      ...[...steps.movedMeanwhile(2), 'route deliver -> integrate (2 of 2)'],
      ...steps.movedMeanwhile(3),
      ...steps.asks('deliver'),
    ])
  })
})

describe.concurrent('the Integration Specialist', () => {
  it('that leaves conflict markers is asked again until none are left, also where it has committed them (R001-59, R001-60)', async () => {
    const leavesMarkers: Entry = { runs: commitMerge, answer: success }
    const changesElse: Entry = { writes: { 'src/more.txt': 'more\n' }, runs: commitOn, answer: success }
    const mends: Entry = { writes: { 'src/app.txt': 'both\n' }, runs: commitOn, answer: success }
    const run = await playPipeline({
      later: sameLines,
      roles: { integration_specialist: [leavesMarkers, changesElse, mends] },
    })
    expect(sequence(run)).toEqual([
      ...coded,
      ...steps.mergedInConflict(),
      ...resolveWith(1, { gates: markersLeft }),
      'resolve#1 revise no_conflict_markers',
      'route resolve -> resolve (1 of 2)',
      ...resolveWith(2, { gates: markersLeft }),
      'resolve#2 revise no_conflict_markers',
      'route resolve -> resolve (2 of 2)',
      ...[...steps.resolve(3), ...steps.mergePasses(), ...steps.archive(), ...steps.deliver()],
      ...steps.success(),
    ])
    expect(await run.prompt('resolve#2')).toContain(
      'no_conflict_markers: conflict markers are left at src/app.txt:1',
    )
  })

  it('that does not commit the merge, or breaks the tests, is asked again twice; then a person is, who cannot approve (R001-59, R001-60, C-10)', async () => {
    const uncommitted: Entry = { writes: { 'src/app.txt': 'both\n' }, answer: success }
    const broken: Entry = { writes: { 'src/app.txt': 'BROKEN\n' }, runs: commitMerge, answer: success }
    const run = await playPipeline({
      later: sameLines,
      roles: { integration_specialist: [uncommitted, uncommitted, broken] },
    })
    const notMerged = (n: number) => [
      `resolve#${n} started`,
      'ORCHESTRATOR: Spawning INTEGRATION SPECIALIST...',
      'INTEGRATION SPECIALIST called',
      'INTEGRATION SPECIALIST exit 0',
      'answer accepted',
      'gate merge_commit not met',
      `resolve#${n} revise merge_commit`,
    ]
    expect(sequence(run)).toEqual([
      ...coded,
      ...steps.mergedInConflict(),
      ...[...notMerged(1), 'route resolve -> resolve (1 of 2)'],
      ...[...notMerged(2), 'route resolve -> resolve (2 of 2)'],
      ...resolveWith(3, {
        check: 'fail',
        gates: [
          ...['gate no_conflict_markers met', 'gate merge_commit met', 'gate tests_pass not met'],
          'gate tests_not_weakened met',
        ],
      }),
      'resolve#3 revise tests_pass',
      ...steps.asks('resolve', 'reject, answer'),
    ])
    const again = await run.prompt('resolve#2')
    expect(again).toContain('merge_commit: the merge was not committed')
    expect(again).toContain("- conflicts: read '.baton/inputs/conflicts.txt'")
  })

  for (const status of ['failed', 'blocked'] as const) {
    it(`that is ${status} says why, and a person is asked at once (C-22, C-62)`, async () => {
      const gaveUp: Entry = { answer: { status, feedback: 'Both sides delete the other.' } }
      const run = await playPipeline({ later: sameLines, roles: { integration_specialist: [gaveUp] } })
      expect(sequence(run)).toEqual([
        ...[...coded, ...steps.mergedInConflict()],
        ...[...steps.resolveGivesUp(status), ...steps.asks('resolve')],
      ])
      expect(run.state.question).toBe(`Step 'resolve' ended ${status}: Both sides delete the other.`)
      expect(await run.git('-C', run.worktree, 'status', '--porcelain')).toBe('')
    })
  }

  it('is handed the conflicts again when its answer has to be repaired (C-08, R001-120)', async () => {
    const run = await playPipeline({
      later: sameLines,
      roles: { integration_specialist: [{ calls: [{ prints: 'Done.' }, resolved] }] },
    })
    const [started = '', spawning = '', ...answered] = steps.resolve()
    expect(sequence(run)).toEqual([
      ...[...coded, ...steps.mergedInConflict(), started, spawning],
      ...['INTEGRATION SPECIALIST called', 'INTEGRATION SPECIALIST exit 0'],
      'answer refused: no complete JSON object was found in the answer',
      ...[...answered, ...steps.mergePasses(), ...steps.archive(), ...steps.deliver(), ...steps.success()],
    ])
    expect(await run.prompt('resolve#1', 2)).toContain("- conflicts: read '.baton/inputs/conflicts.txt'")
  })
})

describe.concurrent('the merge review', () => {
  it('FAIL after conflicts returns the merge to the Integration Specialist with the reason; after two rounds a person is asked (C-10, C-21)', async () => {
    const mends: Entry = {
      template: true,
      writes: { 'src/app.txt': 'both, round {n}\n' },
      runs: commitOn,
      answer: success,
    }
    const run = await playPipeline({
      later: sameLines,
      roles: { integration_specialist: [resolved, mends], merge_auditor: [fails('Light mode is lost.')] },
    })
    expect(sequence(run)).toEqual([
      ...[...coded, ...steps.mergedInConflict()],
      ...[...steps.resolve(1), ...steps.mergeFails(1, 'Light mode is lost.')],
      'route merge_review -> resolve (1 of 2)',
      ...[...steps.resolve(2), ...steps.mergeFails(2, 'Light mode is lost.')],
      'route merge_review -> resolve (2 of 2)',
      ...[...steps.resolve(3), ...steps.mergeFails(3, 'Light mode is lost.')],
      ...steps.asks('merge_review'),
    ])
    expect(await run.prompt('resolve#2')).toContain('<<<FEEDBACK\nLight mode is lost.\nFEEDBACK>>>')
  })

  it('FAIL without conflicts returns the work to the Developer with the reason; after two rounds a person is asked (C-10, C-21)', async () => {
    const run = await playPipeline({ roles: { merge_auditor: [fails('The menu is gone.')] } })
    const round = (n: number) => [
      ...[...steps.code(n), ...steps.auditPasses(n), ...steps.mergedCleanly(n)],
      ...steps.mergeFails(n, 'The menu is gone.'),
    ]
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(), ...steps.planApproved()],
      ...[...round(1), 'route merge_review -> code (1 of 2)'],
      ...[...round(2), 'route merge_review -> code (2 of 2)'],
      ...round(3),
      ...steps.asks('merge_review'),
    ])
    const developer = await run.prompt('code#2')
    expect(developer).toContain('<<<FEEDBACK\nThe menu is gone.\nFEEDBACK>>>')
    expect(developer).toContain(`- merge_review: read '${steps.paths.mergeReview(1)}'`)
  })

  it('cannot pass what fails its tests once merged: the Developer gets the evidence (R001-63, C-63)', async () => {
    const dark = commits({ 'src/app.txt': 'dark mode\n' })
    const mends = commits({ 'src/app.txt': 'dark mode, mended\n', 'src/other.txt': 'mended\n' })
    const run = await playPipeline({
      later: { 'src/other.txt': 'BROKEN\n' },
      roles: { developer: [dark, mends], merge_auditor: [passes] },
    })
    expect(sequence(run)).toEqual([
      ...[...coded, ...steps.mergedCleanly(1)],
      'merge_review#1 started',
      'ORCHESTRATOR: Spawning AUDITOR...',
      'AUDITOR called',
      'AUDITOR exit 0',
      'answer accepted',
      `wrote ${steps.paths.mergeReview(1)}`,
      'commit by engine',
      ...['gate within_scope met', 'gate artifact_written met'],
      'check tests fail',
      'gate tests_pass not met',
      'branch moved',
      'merge_review#1 revise tests_pass',
      'ORCHESTRATOR: Committing Review Report... OK.',
      'route merge_review -> code (1 of 2)',
      ...[...steps.code(2), ...steps.auditPasses(2), ...steps.mergedCleanly(2), ...steps.mergePasses(2)],
      ...[...steps.archive(), ...steps.deliver(), ...steps.success()],
    ])
    expect(await run.prompt('code#2')).toContain("tests_pass: 'sh check.sh' exit code 1")
  })

  it("is given the branch's own changes, not those that the merge brought (R001-117)", async () => {
    const commitElse = `cd "$HOME" && echo meanwhile > src/other.txt && git add -A src && git commit --quiet -m meanwhile`
    const run = await playPipeline({ onCheck: `if [ $n = 1 ]; then ${commitElse}; fi` })
    expect(sequence(run)).toEqual([...coded, ...steps.integration()])
    expect(await run.file('src/other.txt')).toBe('meanwhile')
    const diff = await run.handed('merge_review#1', 'diff.patch')
    expect(diff).toContain('+dark mode, round 1')
    expect(diff).not.toContain('+meanwhile')
  })
})

describe.concurrent('the delivery', () => {
  it('prints no such line with --input deliver=none (C-69)', async () => {
    const run = await playPipeline({ inputs: { deliver: 'none' } })
    expect(sequence(run)).toEqual([
      ...[...coded, ...steps.mergedCleanly(), ...steps.mergePasses(), ...steps.archive()],
      ...steps.deliver().slice(0, -2),
      'deliver#1 ok none',
      ...steps.success(),
    ])
  })
})
