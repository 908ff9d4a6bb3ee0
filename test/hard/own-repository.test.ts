// Baton on itself: a small feature of this very repository, from the task to a pull request, on a clone of it. The agents are
// scripted; plan, review, tests, merge and delivery are those of the pipeline. docs/friction.md says what was awkward.
import { execFile } from 'node:child_process'
import { appendFile, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { baton, documentOf, journalOf } from '../e2e/baton.ts'
import { commitAll, gitEnvironment, gitIn, makeFolder, writeFiles } from '../support/git.ts'
import { root } from '../support/source-files.ts'

const execute = promisify(execFile)

const tests = 'src/model/duration.test.ts'
const runner = ['node', 'node_modules/vitest/vitest.mjs', 'run', '--config', '.baton/vitest.config.js']

const settings = stringify({
  ...{ provider: 'scripted', deliver: 'pr', base: 'main' },
  worktree: { link: ['node_modules'] },
  checks: { tests: { command: [...runner, tests] } },
})

const plan = `# Plan: weeks

## Reference Documents
- the task

## Detailed Logic
A week is seven days: one more unit in src/model/duration.ts.

## Test Scenarios
- 2w is 1209600000 ms

## Documentation Updates
- CHANGELOG.md

## Expected Deliverables
- src/model/duration.ts, ${tests}

## Completion Checklist
- [ ] 2w is two weeks
`

const change = [
  ['src/model/duration.ts', 'd: 86_400_000 }', 'd: 86_400_000, w: 604_800_000 }'],
  ['src/model/duration.ts', '(ms|s|m|h|d))+$/', '(ms|s|m|h|d|w))+$/'],
  ['src/model/duration.ts', '(ms|s|m|h|d)/g', '(ms|s|m|h|d|w)/g'],
  [tests, "    ['1d', 86_400_000],\n", "    ['1d', 86_400_000],\n    ['2w', 1_209_600_000],\n"],
  ['CHANGELOG.md', '## Unreleased\n', '## Unreleased\n\n- A duration may have weeks: `2w`.\n'],
] as const

const script = stringify({
  roles: {
    architect: [{ writes: { '{writes}': plan }, answer: { plan_path: '{writes}' } }],
    plan_reviewer: [
      { answer: { verdict: 'REJECT', feedback: 'F1 (major): the plan does not say how long a week is.' } },
      { answer: { verdict: 'APPROVE', score: 90 } },
    ],
    developer: [
      {
        edits: change.map(([file, replace, text]) => ({ file, replace, with: text })),
        runs: [{ argv: [...runner, tests], must: true }],
        writes: { '{writes}': '# Verification\n\n- [x] 2w is two weeks: its test passes\n' },
        commits: 'feat(model): a duration may have weeks',
        answer: { status: 'success', commit_hash: '{commit}', tests_passed: true },
      },
    ],
    auditor: [{ answer: { verdict: 'PASS', review_path: '{writes}' } }],
    merge_auditor: [{ answer: { verdict: 'PASS', review_path: '{writes}' } }],
  },
})

/** A clone as a colleague would have it, with a plain repository as its remote. */
async function cloneOfOurs(): Promise<{ readonly clone: string; readonly remote: string }> {
  const folder = await makeFolder()
  const [remote, clone] = [join(folder, 'remote.git'), join(folder, 'baton')]
  await gitIn(folder, 'clone', '--quiet', '--bare', root, remote)
  await gitIn(folder, 'clone', '--quiet', remote, clone)
  await gitIn(clone, 'checkout', '--quiet', '-B', 'main')
  // A link of the colleague's own: what .gitignore names is a folder.
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  await appendFile(join(clone, '.git/info/exclude'), '/node_modules\n')
  // Our own configuration builds first, which these tests do not need.
  await writeFiles(clone, {
    '.baton/config.yaml': settings,
    '.baton/vitest.config.js': 'export default {}\n',
  })
  await gitIn(clone, 'add', '--force', '.baton/config.yaml', '.baton/vitest.config.js')
  await commitAll(clone, 'chore: settings of Baton')
  await gitIn(clone, 'push', '--quiet', '--force', 'origin', 'main')
  return { clone, remote }
}

test('R001-161, R001-162, R001-163, R001-164: Baton adds a feature to its own repository and offers it as a pull request', async () => {
  const { clone, remote } = await cloneOfOurs()
  const file = join(clone, '..', 'agents.yaml')
  await writeFiles(join(clone, '..'), { 'agents.yaml': script })
  const env = { ...gitEnvironment, PATH: process.env['PATH'] ?? '' }
  const words = ['run', '--json', '--script', file, 'Let durations have weeks.']
  const ended = await baton(clone, words, { env })
  expect(ended.code, ended.stderr).toBe(0)

  const { branch, worktree } = documentOf(ended)
  expect(await gitIn(remote, 'rev-parse', branch)).toBe(await gitIn(clone, 'rev-parse', branch))
  expect((await gitIn(clone, 'diff', '--name-only', `main...${branch}`)).split('\n')).toEqual(
    expect.arrayContaining(['CHANGELOG.md', 'src/model/duration.ts', tests]),
  )
  const asked = `import { parseDuration } from './src/model/duration.ts'; console.log(parseDuration('2w'))`
  const { stdout } = await execute(join(root, 'node_modules/.bin/tsx'), ['-e', asked], { cwd: worktree })
  expect(stdout.trim()).toBe('1209600000')

  const request = await readFile(join(clone, '.baton/runs/1/pull-request.md'), 'utf8')
  expect(request).toContain('Let durations have weeks.')
  expect(request).toContain('2w is two weeks')
  expect(request).toMatch(/vitest\.mjs run .*exit code 0/)

  const rounds = (await journalOf(clone)).filter(
    ({ type, data }) => type === 'step.finished' && data['step'] === 'plan_review',
  )
  expect(rounds.map(({ data }) => data['outcome'])).toEqual(['revise', 'ok'])
}, 600_000)
