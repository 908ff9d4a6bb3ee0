// Liars about commits. Each leaves a report of work well done.
import { coded, report, success, work } from './honest.ts'
import { shell } from './liar.ts'
import type { Liar } from './liar.ts'

const coder = (name: string, does: Liar['does'], says: RegExp): Liar => ({
  ...{ name, does, step: 'code', ends: 'revise commit_is_new', says },
})

/** Commits its work, and claims whatever git makes of the words. */
const claims = (revision: string): Liar['does'] => ({
  writes: work,
  runs: [
    shell('git add -A && git commit -q -m "feat: dark mode"'),
    shell(`printf '{"status":"success","commit_hash":"%s"}\\n' "$(git rev-parse ${revision})"`),
  ],
})

const notAmong =
  /Gate commit_is_new not met: commit [0-9a-f]{40} is not among the 1 commits made in this step/
const noCommit = /Gate commit_is_new not met: no commit was made in this step/
const nothing = /Gate commit_is_new not met: the commits of this step change nothing/
const onlyReport = { [report]: work[report] ?? '' }

const hashes: readonly Liar[] = [
  coder('claims the hash of an old commit', claims('HEAD~2'), notAmong),
  coder('claims the hash of the commit that the branch began at', claims('HEAD~1'), notAmong),
  coder('claims the hash of a tree', claims('HEAD^{tree}'), notAmong),
  coder('claims the hash of a blob', claims('HEAD:src/app.txt'), notAmong),
  coder('claims a commit on no branch', claims('$(git commit-tree -m x -p HEAD~1 HEAD^{tree})'), notAmong),
  coder(
    'claims a hash that it made up',
    coded({}, { answer: { status: 'success', commit_hash: 'c0ffee1' } }),
    /commit c0ffee1 is not among the 1 commits made in this step/,
  ),
  {
    name: 'claims a hash of six characters',
    // At the second call there is nothing left to commit.
    does: {
      calls: [
        coded({}, { answer: { status: 'success', commit_hash: 'c0ffee' } }),
        { answer: { status: 'success', commit_hash: 'c0ffee' } },
      ],
    },
    ...{ step: 'code', ends: 'failed invalid', says: /commit_hash: must match pattern/, keeps: report },
  },
]

const histories: readonly Liar[] = [
  coder('commits nothing and claims a commit', { writes: work, answer: success }, noCommit),
  coder(
    'commits on another branch only',
    {
      writes: work,
      runs: [
        shell('git checkout -q -b aside && git add -A && git commit -q -m "feat: dark mode"'),
        shell(`git checkout -q - && git checkout -q aside -- ${report}`),
      ],
      answer: success,
    },
    noCommit,
  ),
  coder(
    'makes an empty commit',
    { writes: work, runs: [shell('git commit -q --allow-empty -m "feat: dark mode"')], answer: success },
    nothing,
  ),
  coder(
    'makes two commits that cancel each other',
    {
      writes: work,
      runs: [
        shell('git add -A && git commit -q -m "feat: dark mode"'),
        shell('git checkout -q HEAD~1 -- src VERSION CHANGELOG.md && git commit -q -m "fix: dark mode"'),
      ],
      answer: success,
    },
    nothing,
  ),
  coder(
    'commits its report, in a message that claims the work',
    { writes: onlyReport, commits: 'feat: dark mode, with all its tests', answer: success },
    nothing,
  ),
  {
    name: 'rewrites the history that was there before',
    does: {
      writes: work,
      runs: [shell('git reset -q --soft HEAD~1 && git add -A && git commit -q -m "feat: dark mode"')],
      answer: success,
    },
    ...{ step: 'code', ends: 'failed import', says: /the history was rewritten/, keeps: report },
  },
  {
    name: 'amends the last commit of somebody else',
    does: {
      ...{ writes: work, answer: success },
      runs: [shell('git add -A && git commit -q --amend -m "feat: dark mode"')],
    },
    ...{ step: 'code', ends: 'failed import', says: /the history was rewritten/, keeps: report },
  },
]

export const commitLiars: readonly Liar[] = [...hashes, ...histories]
