// A repository, and agents that do in no time what the pipeline asks of them: a file, a commit, an answer.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './measure.mjs'

export const task = 'The total ignores the quantity'
export const branch = 'task/1-total-ignores-quantity'
const feature = 'total_ignores_quantity'

const before = 'export const total = (items) => items.reduce((all, item) => all + item.price, 0)\n'
const colleague = before.replace('all + item.price', 'all + Math.round(item.price)')
const fixed = before.replace('item.price', 'item.price * item.quantity')
const resolved = before.replace('item.price', 'Math.round(item.price * item.quantity)')

/** Files that no agent touches lie here. */
export const bystanders = 'lib'

/**
 * `project` with two commits, the second in conflict with what the developer will do, and perhaps with files that
 * nobody touches. `home` has the settings.
 */
export async function makeFixture(root, { env, files = 0 }) {
  const project = join(root, 'project')
  const git = (...args) => run(['git', '-C', project, ...args], { cwd: root, env })
  writeFiles(root, { 'home/.config/baton/config.yaml': 'checks: { tests: { command: ["true"] } }\n' })
  writeFiles(project, {
    'README.md': '# Till\n',
    'src/total.js': before,
    // Folders that agents and engine write to exist, so that no side has to start a mkdir.
    ...Object.fromEntries(folders.map((folder) => [`docs/dev_docs/${folder}/.gitkeep`, ''])),
  })
  for (let file = 0; file < files; file++)
    writeFiles(project, {
      [`${bystanders}/${Math.floor(file / 50)}/${file}.js`]: `export const n = ${file}\n`,
    })
  await run(['git', 'init', '-q', '-b', 'main', project], { cwd: root, env })
  await git('config', 'user.name', 'You')
  await git('config', 'user.email', 'you@example.invalid')
  await git('config', 'gc.auto', '0')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'A till')
  // As a repository is that somebody has cloned.
  await git('repack', '-a', '-d', '-q')
  writeFiles(project, { 'src/total.js': colleague })
  await git('commit', '-q', '-a', '-m', 'Round')
}

const folders = ['research', 'plans', 'reviews', 'archived/research', 'archived/plans', 'archived/reviews']

/**
 * What the agents do, in two forms: a script for the scripted agents that ship, and one shell file per visit of a step
 * (builtins only, but for the agents' own git commands), run by `agent.sh`.
 */
export function makeAgents(dir) {
  for (const [visit, act] of Object.entries(acts)) {
    writeFiles(dir, { [`acts/${visit}`]: `${shellLines(act).join('\n')}\n` })
  }
  writeFiles(dir, {
    // Called as `agent.sh scripted-agent.cjs <run>/steps/<step>.<visit>/call-1/home/scripted-call.json`.
    'agent.sh': '#!/bin/sh\nset -e\ncall=${2#*/steps/}\n. "${0%/*}/acts/${call%%/*}"\n',
    'script.yaml': `${JSON.stringify({ steps: scriptSteps() }, undefined, 2)}\n`,
  })
  chmodSync(join(dir, 'agent.sh'), 0o755)
  return { program: join(dir, 'agent.sh'), script: join(dir, 'script.yaml') }
}

const plan = [
  'Reference Documents',
  'Detailed Logic',
  'Test Scenarios',
  'Documentation Updates',
  'Expected Deliverables',
  'Completion Checklist',
]
  .map((title) => `## ${title}\nNone: it is only measured.\n`)
  .join('')

const docs = 'docs/dev_docs'
const paths = {
  diagnosis: `${docs}/research/diagnostic_report_${feature}.md`,
  research: `${docs}/research/research_report_${feature}.md`,
  plan: `${docs}/plans/plan_${feature}.md`,
  verification: `${docs}/reviews/verification_${feature}.md`,
  review: `${docs}/reviews/code_review_${feature}_v1.md`,
  mergeReview: `${docs}/reviews/merge_review_${feature}_v1.md`,
}

/** Fixed, so that the recorded run and its replay make the same commits. */
const dates = 'export GIT_AUTHOR_DATE="@1700000000 +0000" GIT_COMMITTER_DATE="@1700000000 +0000"'

/** By step and visit. */
const acts = {
  'investigate.1': {
    writes: { [paths.diagnosis]: '# Diagnosis\n' },
    answer: { report_path: paths.diagnosis },
  },
  'analyst_review.1': { answer: { verdict: 'ESCALATE', feedback: 'What does the standard say?' } },
  'research.1': { writes: { [paths.research]: '# Research\n' }, answer: { report_path: paths.research } },
  'analyst_review.2': { answer: { verdict: 'APPROVE' } },
  'plan.1': { writes: { [paths.plan]: plan }, answer: { plan_path: paths.plan } },
  'plan_review.1': { answer: { verdict: 'APPROVE', score: 90 } },
  'code.1': {
    writes: { 'src/total.js': fixed, [paths.verification]: '- [x] done\n' },
    commit: '-q -m "fix: count the quantity"',
    answer: { status: 'success', tests_passed: true },
  },
  'code_review.1': {
    writes: { [paths.review]: '# Review\n' },
    answer: { verdict: 'PASS', review_path: paths.review },
  },
  'resolve.1': {
    writes: { 'src/total.js': resolved },
    commit: '-q --no-edit',
    answer: { status: 'success', tests_passed: true },
  },
  'merge_review.1': {
    writes: { [paths.mergeReview]: '# Merge review\n' },
    answer: { verdict: 'PASS', review_path: paths.mergeReview },
  },
}

/** How many processes the agents start themselves, beside their own: add, commit and rev-parse, twice. */
export const agentGits = 6

function shellLines({ writes = {}, commit, answer }) {
  const json = JSON.stringify(answer)
  const [text, argument] =
    commit === undefined
      ? [json, '']
      : [`${json.slice(0, -1)},"commit_hash":"%s"}`, '"$(git rev-parse HEAD)"']
  return [
    ...Object.entries(writes).map(([path, content]) => `printf %s ${quote(content)} >${path}`),
    ...(commit === undefined ? [] : [dates, 'git add -A', `git commit ${commit}`]),
    `printf ${quote(`\`\`\`json\n${text}\n\`\`\`\n`)} ${argument}`,
  ]
}

function scriptSteps() {
  const steps = {}
  for (const [visit, { writes = {}, commit, answer }] of Object.entries(acts)) {
    const [step] = visit.split('.')
    const committed = commit === undefined ? {} : { runs: [['sh', '-c', committing(commit)]] }
    const hash = commit === undefined ? {} : { commit_hash: '{commit}' }
    const call = { writes, ...committed, answer: { ...answer, ...hash } }
    steps[step] = [...(steps[step] ?? []), call]
  }
  return steps
}

/** Not by the script's own `commits`: its date is the agent's. */
function committing(flags) {
  return `${dates}; git add -A && git commit ${flags}`
}

export function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function writeFiles(dir, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
}
