// One run in which every role of the pipeline has its turn and every kind of loop happens once: a diagnosis that needs
// research, a plan that is rejected, a code review that fails, a base that moved meanwhile and conflicts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { goodPlan, playPipeline } from './pipeline.ts'
import type { Entry, PipelineRun, Roles } from './pipeline.ts'

export interface WholeRun extends PipelineRun {
  /** What the agent of a visit wrote down about itself: its environment, its process, what it found in its home. */
  mark(visit: string, name: keyof typeof marks): Promise<string>
  prompts(): Promise<Record<string, string>>
}

/** All agents in their order: the visit, the title of the role. */
export const agents = [
  ['investigate#1', 'INVESTIGATOR'],
  ['analyst_review#1', 'LEAD ANALYST'],
  ['research#1', 'RESEARCHER'],
  ['analyst_review#2', 'LEAD ANALYST'],
  ['plan#1', 'ARCHITECT'],
  ['plan_review#1', 'LEAD ARCHITECT'],
  ['plan#2', 'ARCHITECT'],
  ['plan_review#2', 'LEAD ARCHITECT'],
  ['code#1', 'DEVELOPER'],
  ['code_review#1', 'AUDITOR'],
  ['code#2', 'DEVELOPER'],
  ['code_review#2', 'AUDITOR'],
  ['resolve#1', 'INTEGRATION SPECIALIST'],
  ['merge_review#1', 'AUDITOR'],
] as const

export const visits = agents.map(([visit]) => visit)

/** Sentences that only the files hold. */
export const contents = {
  diagnosis: 'The toggle was never connected.',
  research: 'WCAG asks for a contrast of 4.5.',
  plan: 'Reason: the checkbox is what the request asks for.',
  review: 'F1: the toggle forgets its state.',
} as const

const feedback = {
  analyst: 'Which contrast does WCAG ask for?',
  planReviewer: 'Say what unchecked means.',
} as const

/** What each agent says beside its answer: nobody else may ever hear it. */
export const remark = 'a thought of my own'

const marks = {
  env: 'env',
  parent: 'echo $PPID',
  place: 'pwd',
  terminal: 'tty',
  found: 'ls -A "$HOME"',
  branches: "git for-each-ref --format='%(refname)'",
  conflicts: 'grep -rlE "^(<<<<<<<|>>>>>>>) " src',
}

const markers = Object.entries(marks).map(([name, command]) => `${command} > "$HOME/../${name}.mark"`)

/** What is noted stands beside the agent's home, out of the worktree. */
const noted = (entry: Entry): Entry => ({
  ...entry,
  prints: `${remark}\n`,
  runs: [['sh', '-c', markers.join('; ')], ...((entry['runs'] as never[] | undefined) ?? [])],
})

const report = (text: string, answer: Entry): Entry =>
  noted({ template: true, writes: { '{writes}': `${text}\n\nRound {n}.\n` }, answer })

const planWith = (text: string): Entry =>
  report(
    goodPlan.replace('The toggle is a checkbox.', `The toggle is a checkbox.\n${contents.plan}\n${text}`),
    {
      plan_path: '{writes}',
    },
  )

const tests = { argv: ['sh', 'check.sh'], must: true }
const finished = { status: 'success', commit_hash: '{commit}', tests_passed: true }

const roles: Roles = {
  investigator: [
    report(contents.diagnosis, { report_path: '{writes}', backlog_items: ['Offer a third theme.'] }),
  ],
  lead_analyst: [
    noted({ answer: { verdict: 'ESCALATE', feedback: feedback.analyst } }),
    noted({ answer: { verdict: 'APPROVE' } }),
  ],
  researcher: [report(contents.research, { report_path: '{writes}' })],
  architect: [planWith('First.'), planWith('Unchecked means light.')],
  plan_reviewer: [
    noted({ answer: { verdict: 'REJECT', feedback: feedback.planReviewer } }),
    noted({ answer: { verdict: 'APPROVE' } }),
  ],
  developer: [
    noted({
      writes: {
        '{writes}': '- [x] the toggle is there\n',
        'src/app.txt': 'dark mode\n',
        'test/app.txt': 'expects dark mode\n',
        'README.md': 'A small project with a dark mode.\n',
        VERSION: '1.1.0\n',
        'CHANGELOG.md': '- Added: dark mode\n',
      },
      runs: [tests],
      commits: [
        { message: 'feat: dark mode', add: ['src/app.txt', 'test/app.txt'] },
        { message: 'docs: dark mode', add: 'all' },
      ],
      answer: finished,
    }),
    noted({
      expects: ['code_review_dark_mode_toggle_v1.md'],
      writes: {
        '{writes}': '- [x] the toggle is there, and keeps its state\n',
        'src/app.txt': 'dark mode that lasts\n',
      },
      runs: [tests],
      commits: 'fix: keep the state',
      answer: finished,
    }),
  ],
  auditor: [
    report(contents.review, { verdict: 'FAIL', review_path: '{writes}' }),
    report('F1: resolved.', { verdict: 'PASS', review_path: '{writes}' }),
  ],
  integration_specialist: [
    noted({
      writes: {},
      runs: [
        ['sh', '-c', 'echo "dark mode that lasts, and print mode" > src/app.txt'],
        tests,
        ['git', 'add', '-A'],
        ['git', 'commit', '--quiet', '--no-edit'],
      ],
      answer: finished,
    }),
  ],
  merge_auditor: [report('Both sides are there.', { verdict: 'PASS', review_path: '{writes}' })],
}

export async function playWholeRun(): Promise<WholeRun> {
  const run = await playPipeline({
    mode: 'bugfix',
    roles,
    files: { VERSION: '1.0.0\n', 'CHANGELOG.md': '' },
    later: { 'src/app.txt': 'light mode and print mode\n' },
  })
  const folderOf = (visit: string): string => join(run.folder.steps, visit.replace('#', '.'), 'call-1')
  return {
    ...run,
    mark: async (visit, name) => (await readFile(join(folderOf(visit), `${name}.mark`), 'utf8')).trim(),
    prompts: async () =>
      Object.fromEntries(
        await Promise.all(visits.map(async (visit) => [visit, await run.prompt(visit)] as const)),
      ),
  }
}
