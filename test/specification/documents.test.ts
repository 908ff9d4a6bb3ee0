import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { textOf } from '../../src/model/json.ts'
import { makeFolder } from '../support/git.ts'
import { commits, goodPlan, planned, playPipeline, resolved, stopAtCode, task } from '../support/pipeline.ts'
import type { Entry, PipelineRun } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const chatter = 'Between us: the old toggle was written by a cousin of mine.'
const idea = (number: number) => ({ backlog_items: [`Idea ${number}`] })
const reported: Entry = { template: true, writes: { '{writes}': 'report, round {n}\n' } }

/** Every role once, each with an idea, a word beside the point, and a note of the process that it was. */
async function playAll(): Promise<{ run: PipelineRun; processes: string[] }> {
  const file = join(await makeFolder(), 'processes')
  const seen = { prints: chatter, runs: [['sh', '-c', `echo $PPID >> ${file}`]] }
  const done = { status: 'success', commit_hash: '{commit}', tests_passed: true }
  const run = await playPipeline({
    mode: 'bugfix',
    later: { 'src/app.txt': 'light mode, but nicer\n' },
    roles: {
      investigator: [{ ...reported, ...seen, answer: { report_path: '{writes}', ...idea(1) } }],
      lead_analyst: [
        { ...seen, answer: { verdict: 'ESCALATE', feedback: 'Which contrast?', ...idea(2) } },
        { ...seen, answer: { verdict: 'APPROVE' } },
      ],
      researcher: [{ ...reported, ...seen, answer: { report_path: '{writes}', ...idea(3) } }],
      architect: [{ ...planned(goodPlan), ...seen, answer: { plan_path: '{writes}', ...idea(4) } }],
      plan_reviewer: [
        {
          ...seen,
          answer: { verdict: 'REJECT', feedback: 'Say what unchecked means.', score: 40, ...idea(5) },
        },
        { ...seen, answer: { verdict: 'APPROVE' } },
      ],
      developer: [{ ...commits({ 'src/app.txt': 'dark mode\n' }), ...seen, answer: { ...done, ...idea(6) } }],
      auditor: [{ ...reported, ...seen, answer: { verdict: 'PASS', review_path: '{writes}', ...idea(7) } }],
      integration_specialist: [
        {
          ...resolved,
          ...seen,
          runs: [...seen.runs, ['git', 'add', '-A'], ['git', 'commit', '--quiet', '--no-edit']],
          answer: { ...done, ...idea(8) },
        },
      ],
      merge_auditor: [{ ...seen, answer: { verdict: 'PASS', ...idea(9) } }],
    },
  })
  return { run, processes: (await readFile(file, 'utf8')).trim().split('\n') }
}

describe('a run in which every role has its turn', () => {
  let run: PipelineRun
  let processes: string[]

  beforeAll(async () => {
    ;({ run, processes } = await playAll())
  })

  it('takes each of these steps (R001-17, R000-05, R000-37)', () => {
    expect(
      run.state.steps.map(({ step, visit, role, outcome }) => `${step}#${visit} ${role} ${outcome}`),
    ).toEqual([
      'investigate#1 INVESTIGATOR ok',
      'analyst_review#1 LEAD ANALYST escalate',
      'research#1 RESEARCHER ok',
      'analyst_review#2 LEAD ANALYST ok',
      'plan#1 ARCHITECT ok',
      'plan_review#1 LEAD ARCHITECT revise',
      'plan#2 ARCHITECT ok',
      'plan_review#2 LEAD ARCHITECT ok',
      'code#1 DEVELOPER ok',
      'code_review#1 AUDITOR ok',
      'integrate#1 ORCHESTRATOR revise',
      'resolve#1 INTEGRATION SPECIALIST ok',
      'merge_review#1 AUDITOR ok',
      'archive#1 ORCHESTRATOR ok',
      'deliver#1 ORCHESTRATOR ok',
    ])
  })

  it('works on a branch and in a worktree of its own, named after the task (R001-22, R001-68, R001-155, R000-51, C-23)', () => {
    expect(run.branch).toBe('task/1-dark-mode-toggle')
    expect(run.worktree).toBe(join(dirname(run.root), '.worktrees', '1-dark-mode-toggle'))
    const created = run.lines.findIndex(({ type }) => type === 'branch.created')
    expect(run.lines.findIndex(({ type }) => type === 'agent.started')).toBeGreaterThan(created)
  })

  it('leaves main and its working tree as they were (R001-70, R001-77, C-69)', async () => {
    expect(await run.git('log', '--format=%s', 'main')).toBe('meanwhile\nfirst commit')
    expect(await run.git('status', '--porcelain', '--branch')).toBe('## main')
    expect(await run.git('branch', '--format=%(refname:short)')).toBe('main\ntask/1-dark-mode-toggle')
  })

  it('writes each document at its place and archives them all before the delivery (R001-85 to R001-87, R001-90, R001-93, R001-99, R001-108, R001-115, R001-118, R000-77, C-17, C-19 to C-21)', async () => {
    const written = run.lines.flatMap(({ type, data }) => (type === 'artifact.written' ? [data['path']] : []))
    expect(written).toEqual([
      'docs/dev_docs/research/diagnostic_report_dark_mode_toggle.md',
      'docs/dev_docs/reviews/analysis_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/research/research_report_dark_mode_toggle.md',
      'docs/dev_docs/reviews/analysis_review_dark_mode_toggle_v2.md',
      'docs/dev_docs/plans/plan_dark_mode_toggle.md',
      'docs/dev_docs/reviews/plan_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/plans/plan_dark_mode_toggle.md',
      'docs/dev_docs/reviews/plan_review_dark_mode_toggle_v2.md',
      'docs/dev_docs/reviews/verification_dark_mode_toggle.md',
      'docs/dev_docs/reviews/code_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/reviews/merge_review_dark_mode_toggle_v1.md',
    ])
    expect((await run.git('ls-tree', '-r', '--name-only', run.branch, 'docs')).split('\n')).toEqual([
      'docs/dev_docs/archived/plans/plan_dark_mode_toggle.md',
      'docs/dev_docs/archived/research/diagnostic_report_dark_mode_toggle.md',
      'docs/dev_docs/archived/research/research_report_dark_mode_toggle.md',
      'docs/dev_docs/archived/reviews/analysis_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/archived/reviews/analysis_review_dark_mode_toggle_v2.md',
      'docs/dev_docs/archived/reviews/code_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/archived/reviews/merge_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/archived/reviews/plan_review_dark_mode_toggle_v1.md',
      'docs/dev_docs/archived/reviews/plan_review_dark_mode_toggle_v2.md',
      'docs/dev_docs/archived/reviews/verification_dark_mode_toggle.md',
      'docs/dev_docs/backlog.md',
    ])
  })

  it('has a commit for each step with its role named, verdicts that reject too; only code is committed by its agents (R001-71 to R001-73, R001-36, R001-45, R001-54, R000-58, R000-65, R000-73, C-18)', async () => {
    const log = await run.git(
      'log',
      '--reverse',
      '--first-parent',
      '--format=%an | %s',
      `main~1..${run.branch}`,
    )
    expect(log.split('\n')).toEqual([
      'Baton | INVESTIGATOR: investigate',
      'Baton | LEAD ANALYST: analyst_review ESCALATE',
      'Baton | RESEARCHER: research',
      'Baton | LEAD ANALYST: analyst_review APPROVE (round 2)',
      'Baton | ARCHITECT: plan',
      'Baton | LEAD ARCHITECT: plan_review REJECT',
      'Baton | ARCHITECT: plan (round 2)',
      'Baton | LEAD ARCHITECT: plan_review APPROVE (round 2)',
      'Ada Tester | feat: dark mode',
      'Baton | DEVELOPER: code success',
      'Baton | AUDITOR: code_review PASS',
      'Ada Tester | Merge main into task/1-dark-mode-toggle',
      'Baton | INTEGRATION SPECIALIST: resolve success',
      'Baton | AUDITOR: merge_review PASS',
      'Baton | ORCHESTRATOR: archive 10 documents',
    ])
    expect(await run.git('log', '-1', '--format=%B', `${run.branch}~1`)).toBe(
      [
        'AUDITOR: merge_review PASS',
        '',
        `Task: ${task}`,
        '',
        ...['Baton-Run: 1', 'Baton-Step: merge_review#1', 'Baton-Role: AUDITOR'],
      ].join('\n'),
    )
  })

  it('keeps a decision whose role wrote no file: verdict, feedback, role, model, time (C-17)', async () => {
    const path = 'docs/dev_docs/archived/reviews/plan_review_dark_mode_toggle_v1.md'
    const text = (await run.file(path)).replace(
      /Time: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
      'Time: <time>',
    )
    expect(text).toBe(
      [
        '# plan_review, round 1: REJECT',
        '',
        '- Verdict: **REJECT**',
        '- Role: LEAD ARCHITECT',
        '- Model: scripted',
        '- Time: <time>',
        `- Task: ${task}`,
        '- score: 40',
        '',
        '## Feedback',
        '',
        'Say what unchecked means.',
      ].join('\n'),
    )
  })

  it('asks all nine roles for ideas of one concise sentence (R001-128)', async () => {
    const started = run.lines.flatMap(({ type, data }) =>
      type === 'agent.started' ? [`${textOf(data['step'])}#${textOf(data['visit'])}`] : [],
    )
    expect(new Set(started.map((visit) => visit.split('#')[0])).size).toBe(9)
    for (const visit of started)
      expect(await run.prompt(visit)).toContain("for the project's backlog, one concise sentence each")
  })

  it('captures the ideas of all nine roles in the journal, and in the backlog each once (R001-124 to R001-128)', async () => {
    const added = run.lines.flatMap(({ type, role, data }) =>
      type === 'backlog.added' ? [`${role}: ${[data['items']].flat().map(textOf).join()}`] : [],
    )
    expect(added).toEqual([
      'INVESTIGATOR: Idea 1',
      'LEAD ANALYST: Idea 2',
      'RESEARCHER: Idea 3',
      'ARCHITECT: Idea 4',
      'LEAD ARCHITECT: Idea 5',
      // The second round of the plan says the same once more: the journal tells who had which idea, and when.
      'ARCHITECT: Idea 4',
      'DEVELOPER: Idea 6',
      'AUDITOR: Idea 7',
      'INTEGRATION SPECIALIST: Idea 8',
      'AUDITOR: Idea 9',
    ])
    expect((await run.file('docs/dev_docs/backlog.md')).replaceAll(/\d{4}-\d\d-\d\d/g, '<date>')).toBe(
      [
        '# Backlog',
        '',
        'Ideas from runs, for later. One line each: what, who had it, in which run, when.',
        '',
        '- [ ] Idea 1 (INVESTIGATOR, run 1, <date>)',
        '- [ ] Idea 2 (LEAD ANALYST, run 1, <date>)',
        '- [ ] Idea 3 (RESEARCHER, run 1, <date>)',
        '- [ ] Idea 4 (ARCHITECT, run 1, <date>)',
        '- [ ] Idea 5 (LEAD ARCHITECT, run 1, <date>)',
        '- [ ] Idea 6 (DEVELOPER, run 1, <date>)',
        '- [ ] Idea 7 (AUDITOR, run 1, <date>)',
        '- [ ] Idea 8 (INTEGRATION SPECIALIST, run 1, <date>)',
        '- [ ] Idea 9 (AUDITOR, run 1, <date>)',
      ].join('\n'),
    )
  })

  it('starts a fresh process for every step (R001-03, R001-04, R001-16, C-73)', () => {
    expect(processes).toHaveLength(12)
    expect(new Set(processes).size).toBe(12)
  })

  it('hands nothing over that an agent said beside its answer (R001-07, R000-18, R000-78)', async () => {
    const prompts = await promptsOf(run)
    expect(prompts).toHaveLength(12)
    expect(prompts.filter((prompt) => prompt.includes(chatter))).toEqual([])
  })

  it('builds every prompt of role, task, inputs by path and format, in this order, with the JSON at the end (R000-27 to R000-30, R001-66)', async () => {
    for (const prompt of await promptsOf(run)) {
      const headings = prompt.split('\n').filter((line) => /^[A-Z]+:$/.test(line))
      expect(headings).toEqual(['CONTEXT:', 'TASK:', 'INPUT:', 'FORMAT:'])
      expect(prompt).toContain(`<<<TASK\n${task}\nTASK>>>`)
      expect(prompt).toContain('End your response with one JSON object in a fenced block')
    }
    expect(await run.prompt('code#1')).toMatch(/^CONTEXT:\nYou are the DEVELOPER\.\n/)
  })

  it('keeps every prompt and every raw answer on disk, with its digest in the journal (R001-133, C-83)', async () => {
    const spoken = run.lines.flatMap(({ type, data }) =>
      type === 'agent.started' || type === 'agent.finished' ? [data['prompt'] ?? data['answer']] : [],
    ) as { path: string; sha256: string }[]
    expect(spoken).toHaveLength(24)
    for (const { path, sha256 } of spoken) expect(digest(await readFile(path))).toBe(sha256)
    const answer = spoken[1] && (await readFile(spoken[1].path, 'utf8'))
    expect(answer).toContain(chatter)
    expect(answer).toContain('"report_path": "docs/dev_docs/research/diagnostic_report_dark_mode_toggle.md"')
  })

  it('has run the tests itself at every gate, and kept what they printed (C-63, R001-63)', async () => {
    const checks = run.lines.filter(({ type }) => type === 'check.finished').map(({ data }) => data)
    expect(
      checks.map(({ step, command, exit_code }) => [step, command, exit_code].map(textOf).join(' ')),
    ).toEqual(['code', 'resolve', 'merge_review', 'deliver'].map((step) => `${step} sh check.sh 0`))
    for (const { log } of checks) expect(await readFile(textOf(log), 'utf8')).toBe('')
  })
})

async function promptsOf({ folder }: PipelineRun): Promise<string[]> {
  const files = await readdir(folder.steps, { recursive: true })
  const prompts = files.filter((file) => file.endsWith('prompt.md')).toSorted()
  return Promise.all(prompts.map((file) => readFile(join(folder.steps, file), 'utf8')))
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

describe.concurrent('documents of a run', () => {
  it.each(['manual', 'after_merge'])(
    'stay where they are with --input archive=%s (R001-85, C-19)',
    async (archive) => {
      const run = await playPipeline({ inputs: { archive } })
      expect(sequence(run)).toEqual([
        ...steps.begin('direct'),
        ...[...steps.plan(), ...steps.planApproved(), ...steps.code(), ...steps.auditPasses()],
        ...[...steps.mergedCleanly(), ...steps.mergePasses()],
        'archive skipped',
        ...[...steps.deliver(), ...steps.success()],
      ])
      expect((await run.git('ls-tree', '-r', '--name-only', run.branch, 'docs')).split('\n')).toEqual([
        steps.paths.plan,
        steps.paths.codeReview(1),
        steps.paths.mergeReview(1),
        steps.paths.planReview(1),
        steps.paths.verification,
      ])
    },
  )

  it('are looked for in vain by --mode archive where nothing was merged: the run fails and says so (C-20)', async () => {
    const run = await playPipeline({ mode: 'archive' })
    expect(sequence(run)).toEqual([
      ...steps.begin('archive'),
      ...['archive#1 started', 'archive#1 failed nothing'],
      "ORCHESTRATOR: Pipeline stopped at archive: there is nothing to archive, and nothing else on the branch that 'main' does not have.",
      'run failed 1',
    ])
  })

  it('are added to a backlog that is there already, below what stands in it, and not twice (R001-127)', async () => {
    const before = '# What we could do\n\n- [ ] Idea 1 (AUDITOR, run 7, 2026-01-01)\n'
    const ideas = { backlog_items: ['Idea 1', 'Idea 2', 'Idea   2'] }
    const run = await playPipeline({
      files: { 'docs/dev_docs/backlog.md': before },
      roles: {
        plan_reviewer: [{ answer: { verdict: 'APPROVE', ...ideas } }],
        ...stopAtCode,
      },
    })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan()],
      'plan_review#1 started',
      ...['LEAD ARCHITECT called', 'LEAD ARCHITECT exit 0', 'answer accepted'],
      ...[`wrote ${steps.paths.planReview(1)}`, 'commit by engine', 'backlog: Idea 1, Idea 2, Idea 2'],
      ...['gate within_scope met', 'gate artifact_written met', 'gate score met'],
      ...['branch moved', 'plan_review#1 ok APPROVE'],
      'ORCHESTRATOR: Verifying plan... OK. (Review Committed)',
      ...steps.stop(),
    ])
    const text = await run.file('docs/dev_docs/backlog.md')
    expect(text.replace(/run 1, \d{4}-\d\d-\d\d/, 'run 1, <date>')).toBe(
      `${before}- [ ] Idea 2 (LEAD ARCHITECT, run 1, <date>)`,
    )
  })

  it('carry the date and the name of the feature in the archive if the workflow says so (R001-88, C-20)', async () => {
    const run = await playPipeline({ workflow: { 'do: archive': 'do: archive\n    with: { prefix: date }' } })
    expect(sequence(run)).toEqual([...steps.begin('direct'), ...steps.fromPlan()])
    const names = await run.git('ls-tree', '-r', '--name-only', run.branch, 'docs/dev_docs/archived/plans/')
    expect(names).toMatch(
      /^docs\/dev_docs\/archived\/plans\/\d{4}-\d\d-\d\d_dark_mode_toggle_plan_dark_mode_toggle\.md$/,
    )
  })

  it('written again in the same words count as written, and make no commit (R001-71, R001-165)', async () => {
    const same: Entry = { writes: { '{writes}': goodPlan }, answer: { plan_path: '{writes}' } }
    const run = await playPipeline({
      roles: {
        architect: [same],
        plan_reviewer: [{ answer: { verdict: 'REJECT', feedback: 'No.' } }, { ends: { exit: 2 } }],
      },
      workflow: { 'max_attempts: 3': 'max_attempts: 1' },
    })
    expect(sequence(run)).toEqual([
      ...[...steps.begin('direct'), ...steps.plan(1), ...steps.planRejected(1)],
      'route plan_review -> plan (1 of 3)',
      ...['plan#2 started', 'ORCHESTRATOR: Spawning ARCHITECT...'],
      ...['ARCHITECT called', 'ARCHITECT exit 0', 'answer accepted', `wrote ${steps.paths.plan}`],
      ...['gate within_scope met', 'gate artifact_written met'],
      ...['gate plan_has_parts met', 'plan#2 ok'],
      `ARCHITECT: Implementation Plan created at '${steps.paths.plan}'.`,
      ...['plan_review#2 started', 'LEAD ARCHITECT called', 'LEAD ARCHITECT exit 2'],
      'answer refused for good: the agent ended with exit code 2',
      ...['plan_review#2 failed crash', ...steps.asks('plan_review')],
    ])
  })

  it('of an earlier task with the same name are kept in the archive beside the new ones (R001-86)', async () => {
    const run = await playPipeline({
      files: { 'docs/dev_docs/archived/plans/plan_dark_mode_toggle.md': 'the old plan\n' },
    })
    expect(sequence(run)).toEqual([...steps.begin('direct'), ...steps.fromPlan()])
    expect(await run.file('docs/dev_docs/archived/plans/plan_dark_mode_toggle.md')).toBe('the old plan')
    expect(await run.file('docs/dev_docs/archived/plans/plan_dark_mode_toggle-2.md')).toContain(
      '# Plan, round 1',
    )
  })
})
