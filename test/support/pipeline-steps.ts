// What each step of the pipeline leaves in the journal, in the words of `sequence`. Written from the specification,
// never computed by the program: a test puts these together into the whole story of a run.

const branch = 'task/1-dark-mode-toggle'

const docs = 'docs/dev_docs'

export const paths = {
  diagnostic: `${docs}/research/diagnostic_report_dark_mode_toggle.md`,
  research: `${docs}/research/research_report_dark_mode_toggle.md`,
  analysisReview: (n: number) => `${docs}/reviews/analysis_review_dark_mode_toggle_v${n}.md`,
  plan: `${docs}/plans/plan_dark_mode_toggle.md`,
  planReview: (n: number) => `${docs}/reviews/plan_review_dark_mode_toggle_v${n}.md`,
  verification: `${docs}/reviews/verification_dark_mode_toggle.md`,
  codeReview: (n: number) => `${docs}/reviews/code_review_dark_mode_toggle_v${n}.md`,
  mergeReview: (n: number) => `${docs}/reviews/merge_review_dark_mode_toggle_v${n}.md`,
}

type Lines = readonly string[]

/** One agent process that gave a usable answer. */
const answered = (title: string): Lines => [`${title} called`, `${title} exit 0`, 'answer accepted']

const spawned = (step: string, title: string): Lines => [
  `${step} started`,
  `ORCHESTRATOR: Spawning ${title}...`,
]

/** What the engine finds in every agent's step: it kept to its scope, and its file was written now. */
const kept = 'gate within_scope met'
const keptAndWrote: Lines = [kept, 'gate artifact_written met']

const committed = (path: string): Lines => [`wrote ${path}`, 'commit by engine', ...keptAndWrote]

export function begin(mode: 'bugfix' | 'research' | 'direct' | 'archive'): Lines {
  return [
    `run started: pipeline ${mode}`,
    'ORCHESTRATOR: Task Received.',
    `branch ${branch} created from main`,
    `ORCHESTRATOR: Created branch '${branch}'.`,
  ]
}

export function investigate(n = 1): Lines {
  return [
    ...spawned(`investigate#${n}`, 'INVESTIGATOR'),
    ...answered('INVESTIGATOR'),
    ...committed(paths.diagnostic),
    'branch moved',
    `investigate#${n} ok`,
    `INVESTIGATOR: Diagnostic report at '${paths.diagnostic}'.`,
    'ORCHESTRATOR: Committing Report... OK.',
  ]
}

export function research(n = 1): Lines {
  return [
    ...spawned(`research#${n}`, 'RESEARCHER'),
    ...answered('RESEARCHER'),
    ...committed(paths.research),
    'branch moved',
    `research#${n} ok`,
    `RESEARCHER: Research report at '${paths.research}'.`,
    'ORCHESTRATOR: Committing Report... OK.',
  ]
}

const analyst = (n: number, end: Lines): Lines => [
  ...spawned(`analyst_review#${n}`, 'LEAD ANALYST'),
  ...answered('LEAD ANALYST'),
  ...committed(paths.analysisReview(n)),
  'branch moved',
  ...end,
  'ORCHESTRATOR: Committing Decision... OK.',
]

export function analystApproves(n = 1): Lines {
  const end = [`analyst_review#${n} ok APPROVE`, 'LEAD ANALYST: Analysis approved.']
  return [...analyst(n, end), 'route analyst_review -> plan']
}

export function analystRejects(n: number, feedback: string): Lines {
  return analyst(n, [`analyst_review#${n} revise REJECT`, `LEAD ANALYST: Analysis rejected: ${feedback}`])
}

export function analystEscalates(n: number): Lines {
  return analyst(n, [`analyst_review#${n} escalate ESCALATE`, 'LEAD ANALYST: Research is needed.'])
}

const architect = (n: number, found: 'met' | 'not met', end: Lines): Lines => [
  ...spawned(`plan#${n}`, 'ARCHITECT'),
  ...answered('ARCHITECT'),
  ...committed(paths.plan),
  ...[`gate plan_has_parts ${found}`, 'branch moved'],
  ...[...end, 'ORCHESTRATOR: Committing Plan... OK.'],
]

export function plan(n = 1): Lines {
  const said = `ARCHITECT: Implementation Plan created at '${paths.plan}'.`
  return architect(n, 'met', [`plan#${n} ok`, said])
}

/** A plan that lacks a part is committed like any other, and goes back. */
export function planIncomplete(n: number): Lines {
  return architect(n, 'not met', [`plan#${n} revise plan_has_parts`])
}

const planReview = (n: number): Lines => [
  `plan_review#${n} started`,
  ...answered('LEAD ARCHITECT'),
  ...committed(paths.planReview(n)),
]

export function planApproved(n = 1): Lines {
  return [
    ...planReview(n),
    'gate score met',
    'branch moved',
    `plan_review#${n} ok APPROVE`,
    'ORCHESTRATOR: Verifying plan... OK. (Review Committed)',
  ]
}

export function planRejected(n = 1): Lines {
  return [
    ...planReview(n),
    'branch moved',
    `plan_review#${n} revise REJECT`,
    'ORCHESTRATOR: Verifying plan... rejected. (Review Committed)',
  ]
}

export function code(n = 1): Lines {
  return [
    ...codeWith(n, { gates: ['gate commit_is_new met', 'gate tests_pass met', ...honest] }),
    `code#${n} ok success`,
    'DEVELOPER: Implementation complete. Tests passed. Commit: <commit>.',
  ]
}

/** The other gates of the developer's step, where the plan was kept. */
export const honest: Lines = [
  'gate no_unplanned_deletions met',
  'gate tests_not_weakened met',
  'gate tests_written met',
  'gate documents_updated met',
  'gate version_and_changelog met',
  'gate checklist_done met',
]

/** The developer's step up to its end, with what differs: who committed, and what the gates found. */
export function codeWith(
  n: number,
  { made = ['commit by agent'], check = 'pass', gates }: { made?: Lines; check?: string; gates: Lines },
): Lines {
  return [
    ...spawned(`code#${n}`, 'DEVELOPER'),
    ...answered('DEVELOPER'),
    `wrote ${paths.verification}`,
    ...made,
    ...keptAndWrote,
    `check tests ${check}`,
    ...gates,
    'branch moved',
  ]
}

export function testsFail(n: number): Lines {
  const gates = ['gate commit_is_new met', 'gate tests_pass not met', ...honest]
  return [...codeWith(n, { check: 'fail', gates }), `code#${n} revise tests_pass`]
}

const audit = (n: number): Lines => [
  ...spawned(`code_review#${n}`, 'AUDITOR'),
  ...answered('AUDITOR'),
  ...committed(paths.codeReview(n)),
]

export function auditPasses(n = 1): Lines {
  return [
    ...audit(n),
    'gate diff_not_empty met',
    'branch moved',
    `code_review#${n} ok PASS`,
    `AUDITOR: Review passed. Report at '${paths.codeReview(n)}'.`,
    'ORCHESTRATOR: Committing Review Report... OK.',
  ]
}

export function auditFails(n = 1): Lines {
  return [
    ...audit(n),
    'branch moved',
    `code_review#${n} revise FAIL`,
    `AUDITOR: Review failed. Report at '${paths.codeReview(n)}'.`,
    'ORCHESTRATOR: Committing Review Report... OK.',
  ]
}

export function mergedCleanly(n = 1): Lines {
  return [
    `integrate#${n} started`,
    `integrate#${n} ok clean`,
    "ORCHESTRATOR: Merging 'main'... OK.",
    'route integrate -> merge_review',
  ]
}

export function mergedInConflict(n = 1): Lines {
  return [
    `integrate#${n} started`,
    `integrate#${n} revise conflict`,
    "ORCHESTRATOR: Merging 'main'... conflicts.",
    'route integrate -> resolve',
  ]
}

export function resolve(n = 1): Lines {
  return [
    ...spawned(`resolve#${n}`, 'INTEGRATION SPECIALIST'),
    ...answered('INTEGRATION SPECIALIST'),
    'commit by agent',
    kept,
    'check tests pass',
    ...['gate no_conflict_markers met', 'gate merge_commit met', 'gate tests_pass met'],
    'gate tests_not_weakened met',
    'branch moved',
    `resolve#${n} ok success`,
    'INTEGRATION SPECIALIST: Conflicts resolved. Tests passed. Commit: <commit>.',
  ]
}

/** The Integration Specialist says that it cannot be done; the merge is taken back. */
export function resolveGivesUp(outcome: 'failed' | 'blocked'): Lines {
  return [
    ...[...spawned('resolve#1', 'INTEGRATION SPECIALIST'), ...answered('INTEGRATION SPECIALIST')],
    `resolve#1 ${outcome} ${outcome}`,
  ]
}

const mergeReview = (n: number): Lines => [
  ...spawned(`merge_review#${n}`, 'AUDITOR'),
  ...answered('AUDITOR'),
  ...committed(paths.mergeReview(n)),
]

export function mergePasses(n = 1): Lines {
  return [
    ...mergeReview(n),
    'check tests pass',
    'gate tests_pass met',
    'branch moved',
    `merge_review#${n} ok PASS`,
    `AUDITOR: Merge review passed. Report at '${paths.mergeReview(n)}'.`,
    'ORCHESTRATOR: Committing Review Report... OK.',
  ]
}

export function mergeFails(n: number, reason: string): Lines {
  return [
    ...mergeReview(n),
    'branch moved',
    `merge_review#${n} revise FAIL`,
    `AUDITOR: Merge review failed: ${reason}`,
    'ORCHESTRATOR: Committing Review Report... OK.',
  ]
}

export function archive(n = 1): Lines {
  return [
    `archive#${n} started`,
    'commit by engine',
    `archive#${n} ok`,
    'ORCHESTRATOR: Archiving documents... OK.',
  ]
}

export function deliver(n = 1): Lines {
  return [
    `deliver#${n} started`,
    ...['check tests pass', 'gate tests_pass_clean met'],
    `deliver#${n} ok`,
    `ORCHESTRATOR: To merge: git merge ${branch}`,
  ]
}

/** From the merge of the base to a delivery that finds the base moved again. */
export function movedMeanwhile(n: number): Lines {
  return [
    ...[...mergedCleanly(n), ...mergePasses(n), ...archive(n)],
    ...[`deliver#${n} started`, `deliver#${n} revise moved`],
  ]
}

export function success(): Lines {
  return [`ORCHESTRATOR: Pipeline Success! Branch '${branch}' is ready for merge.`, 'run ok 0']
}

/** Everything after the code review, where nothing is wrong. */
export function integration(): Lines {
  return [...mergedCleanly(), ...mergePasses(), ...archive(), ...deliver(), ...success()]
}

/** From the plan to the end, where nothing is wrong. */
export function fromPlan(): Lines {
  return [...plan(), ...planApproved(), ...fromCode()]
}

export function fromCode(): Lines {
  return [...code(), ...auditPasses(), ...integration()]
}

/** The Developer says that the work cannot be done. */
export function givesUp(n: number, outcome: 'failed' | 'blocked'): Lines {
  return [
    ...[...spawned(`code#${n}`, 'DEVELOPER'), ...answered('DEVELOPER'), kept],
    `code#${n} ${outcome} ${outcome}`,
  ]
}

/** From the plan to the code, where a run ends that is only about what came before. */
export function planAndStop(): Lines {
  return [...plan(), ...planApproved(), ...stop()]
}

export function stop(n = 1): Lines {
  return [...givesUp(n, 'blocked'), ...asks('code')]
}

/** The run stops because nobody is there to answer. */
export function asks(step: string, verbs = 'approve, reject, answer'): Lines {
  return [`person asked about ${step}: ${verbs}`, `run waits at ${step}`]
}
