import { describe, expect, it } from 'vitest'
import { terminalLine } from '../../src/views/terminal-lines.ts'
import { playPipeline, stopAtCode } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

const reject = (feedback: string) => ({ answer: { verdict: 'REJECT', feedback } })
const escalate = { answer: { verdict: 'ESCALATE', feedback: 'Which contrast does WCAG ask for?' } }
const approve = { answer: { verdict: 'APPROVE' } }

describe.concurrent('modes', () => {
  it('--mode bugfix begins with the Investigator, whose report the Lead Analyst approves (R001-25, R001-29, R001-32, R001-33, R000-40, R000-43, R000-45, R000-54, R000-57, C-02)', async () => {
    const run = await playPipeline({ mode: 'bugfix' })
    expect(sequence(run)).toEqual([
      ...steps.begin('bugfix'),
      ...steps.investigate(),
      ...steps.analystApproves(),
      ...steps.fromPlan(),
    ])
  })

  it('--mode research begins with the Researcher, whose report the Lead Analyst approves (R001-26, R001-31, R000-41, R000-44, R000-55)', async () => {
    const run = await playPipeline({ mode: 'research' })
    expect(sequence(run)).toEqual([
      ...steps.begin('research'),
      ...steps.research(),
      ...steps.analystApproves(),
      ...steps.fromPlan(),
    ])
  })

  it('--mode direct skips the analysis, and has its branch all the same (R001-27, R000-42, R000-48, C-01)', async () => {
    const run = await playPipeline({ mode: 'direct' })
    expect(sequence(run)).toEqual([...steps.begin('direct'), ...steps.fromPlan()])
  })

  it('without a mode the pipeline goes straight to the Architect and says the catalogue of lines in its order (R001-140 to R001-154, C-11)', async () => {
    const run = await playPipeline()
    const printed = run.lines.flatMap((line) => terminalLine(line) ?? [])
    const said = printed.map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, '[HH:MM:SS] '))
    const [commit] = (
      await run.git('log', '--format=%h', '--abbrev=7', '--grep=^feat: dark mode', run.branch)
    ).split('\n')
    expect(said).toEqual([
      '[HH:MM:SS] ORCHESTRATOR: Task Received.',
      "[HH:MM:SS] ORCHESTRATOR: Created branch 'task/1-dark-mode-toggle'.",
      '[HH:MM:SS] ORCHESTRATOR: Spawning ARCHITECT...',
      "[HH:MM:SS] ARCHITECT: Implementation Plan created at 'docs/dev_docs/plans/plan_dark_mode_toggle.md'.",
      '[HH:MM:SS] ORCHESTRATOR: Committing Plan... OK.',
      '[HH:MM:SS] ORCHESTRATOR: Verifying plan... OK. (Review Committed)',
      '[HH:MM:SS] ORCHESTRATOR: Spawning DEVELOPER...',
      `[HH:MM:SS] DEVELOPER: Implementation complete. Tests passed. Commit: ${commit}.`,
      '[HH:MM:SS] ORCHESTRATOR: Spawning AUDITOR...',
      "[HH:MM:SS] AUDITOR: Review passed. Report at 'docs/dev_docs/reviews/code_review_dark_mode_toggle_v1.md'.",
      '[HH:MM:SS] ORCHESTRATOR: Committing Review Report... OK.',
      "[HH:MM:SS] ORCHESTRATOR: Merging 'main'... OK.",
      '[HH:MM:SS] ORCHESTRATOR: Spawning AUDITOR...',
      "[HH:MM:SS] AUDITOR: Merge review passed. Report at 'docs/dev_docs/reviews/merge_review_dark_mode_toggle_v1.md'.",
      '[HH:MM:SS] ORCHESTRATOR: Committing Review Report... OK.',
      '[HH:MM:SS] ORCHESTRATOR: Archiving documents... OK.',
      '[HH:MM:SS] ORCHESTRATOR: To merge: git merge task/1-dark-mode-toggle',
      "[HH:MM:SS] ORCHESTRATOR: Pipeline Success! Branch 'task/1-dark-mode-toggle' is ready for merge.",
    ])
  })

  it('any other mode is an error before anything is made (R001-137)', async () => {
    await expect(playPipeline({ mode: 'feature' })).rejects.toMatchObject({
      code: 'mode.unknown',
      exitCode: 2,
    })
  })

  it('a task is required (R001-137)', async () => {
    await expect(playPipeline({ task: '' })).rejects.toMatchObject({ code: 'input.missing', exitCode: 2 })
  })
})

describe.concurrent('the Lead Analyst rejects', () => {
  it('REJECT sends the report back to the Investigator with the feedback (R001-34, R000-14, R000-47)', async () => {
    const run = await playPipeline({
      mode: 'bugfix',
      roles: { ...stopAtCode, lead_analyst: [reject('There is no reproduction.'), approve] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('bugfix'),
      ...steps.investigate(1),
      ...steps.analystRejects(1, 'There is no reproduction.'),
      'route analyst_review -> investigate (1 of 3)',
      ...steps.investigate(2),
      ...steps.analystApproves(2),
      ...steps.planAndStop(),
    ])
    expect(await run.prompt('investigate#2')).toContain(
      [
        "This is another round. What 'analyst_review' said about the last one:",
        '<<<FEEDBACK',
        'There is no reproduction.',
        'FEEDBACK>>>',
        `The whole of it is in '${steps.paths.analysisReview(1)}'.`,
      ].join('\n'),
    )
    expect(await run.prompt('analyst_review#2')).toContain(
      `- analyst_review: read '${steps.paths.analysisReview(1)}' (your own findings of an earlier round`,
    )
  })

  it('REJECT in mode research sends the report back to the Researcher (R000-47, C-07)', async () => {
    const run = await playPipeline({
      mode: 'research',
      roles: { ...stopAtCode, lead_analyst: [reject('Name the sources.'), approve] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('research'),
      ...steps.research(1),
      ...steps.analystRejects(1, 'Name the sources.'),
      'route analyst_review -> research (1 of 3)',
      ...steps.research(2),
      ...steps.analystApproves(2),
      ...steps.planAndStop(),
    ])
    expect(await run.prompt('research#2')).toContain('<<<FEEDBACK\nName the sources.\nFEEDBACK>>>')
  })

  it('after three rounds a further REJECT asks a person, and the run waits with exit code 3 (C-10)', async () => {
    const run = await playPipeline({
      mode: 'bugfix',
      roles: { ...stopAtCode, lead_analyst: [reject('Still no reproduction.')] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('bugfix'),
      ...steps.investigate(1),
      ...steps.analystRejects(1, 'Still no reproduction.'),
      'route analyst_review -> investigate (1 of 3)',
      ...steps.investigate(2),
      ...steps.analystRejects(2, 'Still no reproduction.'),
      'route analyst_review -> investigate (2 of 3)',
      ...steps.investigate(3),
      ...steps.analystRejects(3, 'Still no reproduction.'),
      'route analyst_review -> investigate (3 of 3)',
      ...steps.investigate(4),
      ...steps.analystRejects(4, 'Still no reproduction.'),
      ...steps.asks('analyst_review'),
    ])
    expect(run.end).toEqual({
      type: 'waiting',
      exitCode: 3,
      question: {
        step: 'analyst_review',
        text: "Step 'analyst_review' ended revise (REJECT): Still no reproduction.",
        verbs: ['approve', 'reject', 'answer'],
      },
    })
  })
})

describe.concurrent('the Lead Analyst escalates', () => {
  it("ESCALATE of an Investigator's report triggers the Researcher, and the Architect reads both reports (R001-35, R001-37, R000-10, R000-15, R000-46, R000-56, R000-59)", async () => {
    const run = await playPipeline({
      mode: 'bugfix',
      roles: { ...stopAtCode, lead_analyst: [escalate, approve] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('bugfix'),
      ...steps.investigate(),
      ...steps.analystEscalates(1),
      'route analyst_review -> research',
      ...steps.research(),
      ...steps.analystApproves(2),
      ...steps.planAndStop(),
    ])
    const researcher = await run.prompt('research#1')
    expect(researcher).toContain('<<<FEEDBACK\nWhich contrast does WCAG ask for?\nFEEDBACK>>>')
    expect(researcher).toContain(`- investigate: read '${steps.paths.diagnostic}'`)
    const reports = `- investigate: read '${steps.paths.diagnostic}'\n- research: read '${steps.paths.research}'\n`
    expect(await run.prompt('analyst_review#2')).toContain(reports)
    expect(await run.prompt('plan#1')).toContain(reports)
  })

  it('after an escalation it is the Researcher who is sent back, and a second ESCALATE counts as a REJECT (C-07, C-09)', async () => {
    const run = await playPipeline({
      mode: 'bugfix',
      roles: { ...stopAtCode, lead_analyst: [escalate, reject('Name the sources.'), escalate, approve] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('bugfix'),
      ...steps.investigate(),
      ...steps.analystEscalates(1),
      'route analyst_review -> research',
      ...steps.research(1),
      ...steps.analystRejects(2, 'Name the sources.'),
      'route analyst_review -> research (1 of 3)',
      ...steps.research(2),
      ...steps.analystEscalates(3),
      'route analyst_review -> research (2 of 3)',
      ...steps.research(3),
      ...steps.analystApproves(4),
      ...steps.planAndStop(),
    ])
  })

  it("ESCALATE of a Researcher's report is a REJECT: its feedback goes back and its rounds are counted with it (C-09, C-10)", async () => {
    const run = await playPipeline({
      mode: 'research',
      roles: { ...stopAtCode, lead_analyst: [escalate, reject('Name the sources.'), escalate, escalate] },
    })
    expect(sequence(run)).toEqual([
      ...steps.begin('research'),
      ...steps.research(1),
      ...steps.analystEscalates(1),
      'route analyst_review -> research (1 of 3)',
      ...steps.research(2),
      ...steps.analystRejects(2, 'Name the sources.'),
      'route analyst_review -> research (2 of 3)',
      ...steps.research(3),
      ...steps.analystEscalates(3),
      'route analyst_review -> research (3 of 3)',
      ...steps.research(4),
      ...steps.analystEscalates(4),
      ...steps.asks('analyst_review'),
    ])
    expect(await run.prompt('research#2')).toContain('Which contrast does WCAG ask for?')
    const counted = run.lines.filter(
      ({ type, data }) => type === 'route.taken' && data['counted_as'] === 'REJECT',
    )
    expect(counted.map(({ data }) => data['by'])).toEqual(['ESCALATE', 'ESCALATE'])
  })
})
