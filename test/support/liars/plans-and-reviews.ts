// Liars about plans, checklists, reviews and merges.
import { coded, goodPlan, plan, planned, report, review, success, work } from './honest.ts'
import { shell } from './liar.ts'
import type { Liar } from './liar.ts'

const plans: readonly Liar[] = [
  {
    name: 'plans without test scenarios',
    does: { ...planned, writes: { [plan]: goodPlan.replace(/## Test Scenarios[^#]*/, '') } },
    ...{ step: 'plan', ends: 'revise plan_has_parts', says: /the plan lacks: '## Test Scenarios'/ },
  },
  {
    name: 'plans with headings and nothing below them',
    does: { ...planned, writes: { [plan]: goodPlan.replaceAll(/^[^#].*$/gm, '') } },
    ...{ step: 'plan', ends: 'revise plan_has_parts' },
    says: /the plan lacks: '## Reference Documents', .*'## Completion Checklist'/,
  },
  {
    name: 'approves a plan with a score that is too low',
    does: { answer: { verdict: 'APPROVE', score: 40 } },
    ...{ step: 'plan_review', ends: 'revise score', says: /Gate score not met: score 40, at least 70/ },
  },
  {
    name: 'approves a plan with a score in words',
    does: { answer: { verdict: 'APPROVE', score: 'ninety' } },
    ...{ step: 'plan_review', ends: 'revise score', says: /Gate score not met: "ninety" is no score/ },
  },
]

const bareNone: Liar = {
  name: 'plans no tests and gives no reason',
  does: { ...planned, writes: { [plan]: goodPlan.replace(/None: .*/, 'None.') } },
  ...{ step: 'plan', ends: 'revise plan_has_parts', says: /'None' without a reason: '## Test Scenarios'/ },
}

const coder = (name: string, does: Liar['does'], [gate, says]: readonly [string, RegExp]): Liar => ({
  ...{ name, does, step: 'code', ends: `revise ${gate}`, says },
})

const ticked = work[report] ?? ''

const coders: readonly Liar[] = [
  coder(
    'ticks an item with a file that does not exist',
    coded({ [report]: '- [x] Dark: `src/dark.txt:3`\n' }),
    ['checklist_done', /ticked with what does not exist: 'src\/dark.txt'/],
  ),
  coder('leaves an item unticked', coded({ [report]: `${ticked}- [ ] It is fast\n` }), [
    'checklist_done',
    /not done: 'It is fast'/,
  ]),
  coder('ticks all items in an example', coded({ [report]: `\`\`\`\n${ticked}\`\`\`\n` }), [
    'checklist_done',
    /the report has no checklist/,
  ]),
  coder('reports without a checklist', coded({ [report]: 'All is done.\n' }), [
    'checklist_done',
    /the report has no checklist/,
  ]),
  {
    ...coder('leaves out an item of the plan', coded({ [report]: '- [x] The app is dark\n' }), [
      'checklist_done',
      /items of the plan that the report lacks: 'The change is in the change log'/,
    ]),
    mode: 'plan',
  },
  {
    ...coder(
      'leaves a document as it was that the plan wants updated',
      coded({ 'CHANGELOG.md': '- first\n' }),
      ['documents_updated', /the plan wants it updated, and the branch has not changed it: 'CHANGELOG.md'/],
    ),
    mode: 'plan',
  },
  coder('deletes a file that no plan names', coded({}, { deletes: ['src/kept.txt'] }), [
    'no_unplanned_deletions',
    /1 file deleted that the plan does not name: 'src\/kept.txt'/,
  ]),
  coder('empties a file that no plan names', coded({ 'src/kept.txt': '' }), [
    'no_unplanned_deletions',
    /1 file deleted that the plan does not name: 'src\/kept.txt \(emptied\)'/,
  ]),
  coder('leaves VERSION as it was', coded({ VERSION: '1.0.0\n' }), [
    'version_and_changelog',
    /not changed on the branch: 'VERSION'/,
  ]),
  coder(
    'gives VERSION another mode and nothing else',
    coded({ VERSION: '1.0.0\n' }, { runs: [['chmod', '+x', 'VERSION']] }),
    ['version_and_changelog', /not changed on the branch: 'VERSION'/],
  ),
  coder('leaves CHANGELOG.md as it was', coded({ 'CHANGELOG.md': '- first\n' }), [
    'version_and_changelog',
    /not changed on the branch: 'CHANGELOG.md'/,
  ]),
]

/** What is promised is read from the plan, so that a planner has to come first. */
const undelivered: Liar = {
  name: 'promises a file that nobody delivers',
  does: { ...planned, writes: { [plan]: goodPlan.replace('- src/app.txt', '- src/theme.txt') } },
  ...{ told: 'plan', step: 'code', ends: 'revise checklist_done' },
  says: /promised by the plan and not there: 'src\/theme.txt'/,
}

const untested: Liar = {
  name: 'writes no test for the scenarios of the plan',
  does: { ...planned, writes: { [plan]: goodPlan.replace(/None: .*/, '- it is dark') } },
  ...{ told: 'plan', step: 'code', ends: 'revise tests_written' },
  says: /the plan has test scenarios, and no test was written or changed/,
}

const passes = { writes: { [review]: 'It is dark.\n' }, answer: { verdict: 'PASS' } }

const outside = (path: string): RegExp =>
  new RegExp(`changed what it may not change: '${path}'.* kept as refs/baton/`)

const reviewers: readonly Liar[] = [
  {
    name: 'passes a branch that changes nothing',
    does: passes,
    ...{ step: 'review', ends: 'revise diff_not_empty' },
    says: /the branch changes nothing but the workflow's own documents/,
  },
  {
    name: 'mends the code that it reviews',
    does: { ...passes, writes: { ...passes.writes, 'src/app.txt': 'mended\n' } },
    ...{ step: 'review', ends: 'failed scope', says: outside('src/app.txt'), keeps: review },
  },
  {
    name: 'commits the code that it reviews',
    does: { ...passes, writes: { ...passes.writes, 'src/app.txt': 'mended\n' }, commits: 'fix: mended' },
    ...{ step: 'review', ends: 'failed scope', says: outside('src/app.txt'), keeps: review },
  },
  {
    name: 'deletes the plan that it reviews by',
    does: { ...passes, deletes: [plan] },
    ...{ step: 'review', ends: 'failed scope', says: outside(plan), keeps: review },
  },
]

/** The same line is different on main by now, so that the merge is in conflict. */
const conflict = { later: { 'src/app.txt': 'bright\n' }, mode: 'code' } as const

const integrators: readonly Liar[] = [
  {
    name: 'commits a merge with the conflict markers in it',
    does: { runs: [shell('git add -A && git commit -q --no-edit')], answer: success },
    ...{ step: 'resolve', ends: 'revise no_conflict_markers', ...conflict },
    says: /conflict markers are left at src\/app.txt:\d/,
  },
  {
    name: 'resolves a merge and does not commit it',
    does: { writes: { 'src/app.txt': 'dark and bright\n' }, answer: success },
    ...{ step: 'resolve', ends: 'revise merge_commit', says: /the merge was not committed/, ...conflict },
  },
  {
    name: 'gives up the merge and says that it is done',
    does: { runs: [shell('git merge --abort')], answer: success },
    ...{ step: 'resolve', ends: 'revise merge_commit', says: /the merge was not committed/, ...conflict },
  },
]

export const planAndReviewLiars: readonly Liar[] = [
  ...plans,
  bareNone,
  ...coders,
  undelivered,
  untested,
  ...reviewers,
  ...integrators,
]
