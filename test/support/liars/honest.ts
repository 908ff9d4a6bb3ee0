// A small project and agents that tell the truth about it; a liar is one of them who does not.
import type { Json } from '../../../src/model/json.ts'
import type { Files } from '../git.ts'
import type { Entry, Roles } from '../pipeline.ts'

export const plan = 'notes/plan.md'
export const report = 'notes/report.md'
export const review = 'notes/reviews/review.md'

export const goodPlan = `# Plan

## Reference Documents
- README.md

## Detailed Logic
The app becomes dark.

## Test Scenarios
None: the tests that there are show it.

## Documentation Updates
- CHANGELOG.md
- README.md stays as it is

## Expected Deliverables
- src/app.txt

## Completion Checklist
- [ ] The app is dark
- [ ] The change is in the change log
`

const goodReport = '- [x] The app is dark: `src/app.txt:1`\n- [x] The change is in the change log\n'

/** All that the work is: each liar about code leaves out or adds something. */
export const work: Files = {
  [report]: goodReport,
  'src/app.txt': 'dark\n',
  VERSION: '1.1.0\n',
  'CHANGELOG.md': '- dark\n- first\n',
}

export const success: Json = { status: 'success', commit_hash: '{commit}', tests_passed: true }

/** Commits the work with these changes to it, and says that all is well. */
export function coded(changes: Files = {}, more: Entry = {}): Entry {
  return { writes: { ...work, ...changes }, commits: 'feat: dark mode', answer: success, ...more }
}

export const planned: Entry = { writes: { [plan]: goodPlan }, answer: { plan_path: plan } }

/** The merge is under way, with a conflict in src/app.txt. */
export const resolved: Entry = {
  writes: { 'src/app.txt': 'dark and light\n' },
  runs: [
    ['git', 'add', '-A'],
    ['git', 'commit', '--quiet', '--no-edit'],
  ],
  answer: success,
}

export const honestRoles: Roles = {
  planner: [planned],
  plan_reviewer: [{ answer: { verdict: 'APPROVE', score: 90 } }],
  coder: [coded()],
  reviewer: [{ writes: { [review]: 'It is dark.\n' }, answer: { verdict: 'PASS' } }],
  integrator: [resolved],
}

/** The test of the app; a test runner that looks at no more than whether this line is in effect is enough here. */
export const testFile = `it('has a name', () => { expect(name).toBe('app') })
it('is whole', () => { expect(app).not.toContain('BROKEN') })
`

export const packageFile = '{\n  "name": "app",\n  "scripts": {\n    "test": "sh check.sh"\n  }\n}\n'

/** What BROKEN in src breaks is seen only while the test is there, counts, and is run. */
const checkScript = `grep -q "^it('is whole'.*expect(app)" test/app.test.js || exit 0
grep -q 'it.only' test/app.test.js && exit 0
grep -q 'Ignore.*app.test' jest.config.js && exit 0
if grep -rq BROKEN src; then echo 'is whole: failed'; exit 1; fi
test ! -f src/cached.txt || cat cache.txt
`

/** Runs what package.json calls its test, as npm would, in a hundredth of the time. */
const runScript = `eval "$(sed -n 's/.*"test": "\\(.*\\)".*/\\1/p' package.json)"\n`

export const projectFiles: Files = {
  'README.md': 'A small project.\n',
  VERSION: '1.0.0\n',
  'CHANGELOG.md': '- first\n',
  'src/app.txt': 'light\n',
  'src/kept.txt': 'kept\nfor\nlater\n',
  'test/app.test.js': testFile,
  'package.json': packageFile,
  'jest.config.js': 'module.exports = {}\n',
  'run.sh': runScript,
  'check.sh': checkScript,
  '.gitignore': 'cache.txt\n',
  [plan]: '# An old plan\n',
  '.baton/config.yaml': 'checks: { tests: { command: [sh, run.sh] } }\n',
  '.baton/prompts/honest/role.md': 'Do your part.\n',
  '.baton/workflows/honest.yaml': `name: honest
inputs: { task: { required: true } }
modes: { plan: plan, plan_only: { from: plan, to: plan }, plan_review: plan_review, code: code, review: review }
paths: { docs: notes }
defaults: { prompt: role.md, repair: 1, retry: { max_attempts: 1 }, on: { else: fail } }
roles:
  planner: { output: plan.json, may_write: [notes/] }
  plan_reviewer: { verdicts: { verdict: { APPROVE: ok, REJECT: revise } } }
  coder:
    output: implementation.json
    capabilities: [read, edit, shell, commit]
    may_write: ["**"]
    commits: agent
    verdicts: { status: { success: ok, failed: failed, blocked: blocked } }
  reviewer: { verdicts: { verdict: { PASS: ok, FAIL: revise } } }
  integrator:
    output: implementation.json
    capabilities: [read, edit, shell, commit, merge]
    may_write: ["**"]
    commits: agent
    verdicts: { status: { success: ok, failed: failed, blocked: blocked } }
steps:
  - { id: plan, agent: planner, writes: ${plan}, gates: [plan_has_parts] }
  - { id: plan_review, agent: plan_reviewer, reads: [plan], gates: [{ score: 70, if_present: true }] }
  - id: code
    agent: coder
    reads: [plan]
    writes: ${report}
    gates:
      - commit_is_new
      - tests_pass
      - no_unplanned_deletions: plan
      - tests_not_weakened: plan
      - tests_written: plan
      - documents_updated: plan
      - version_and_changelog
      - checklist_done: plan
  - { id: review, agent: reviewer, reads: [plan, diff], writes: { path: ${review}, or: answer }, gates: [diff_not_empty] }
  - { id: integrate, do: merge-base, on: { clean: deliver, conflict: resolve } }
  - { id: resolve, agent: integrator, reads: [conflicts], gates: [no_conflict_markers, merge_commit, tests_pass] }
  - { id: deliver, do: deliver, gates: [tests_pass_clean] }
`,
}
