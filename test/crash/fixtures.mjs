// What is run and killed: the demo (a rejection, a failed audit, a merge conflict), a small workflow of its own that
// goes through a rejection and a merge conflict with few lines, or a goal under supervision.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { makeRepository } from '../../dist/git/make-repository.js'
import { supervised } from './supervised.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const author = { name: 'You', email: 'you@example.invalid' }
const quickTests = 'checks: { tests: { command: ["true"] } }\n'

const fixtures = { short, demo, supervised }

/**
 * Makes `template` and gives what the run is asked for, and what it must have gone through: steps by their ends.
 * The tests take no time, since they are not what is looked at here.
 */
export async function prepare(name, template) {
  const { commits, script, request, through } = fixtures[name]()
  await makeRepository(template, commits)
  const file = `${template}.script.yaml`
  writeFileSync(file, stringify(withHold(script)))
  return { request: JSON.stringify({ inputs: {}, from: 'main~1', script: file, ...request }), through }
}

function demo() {
  const text = readFileSync(join(root, 'demo/script.yaml'), 'utf8').replaceAll('[node, --test]', '["true"]')
  return {
    commits: [
      { message: 'A till', author, files: { ...filesIn('demo/before'), '.baton/config.yaml': quickTests } },
      { message: 'Whole cents', author, files: filesIn('demo/later') },
    ],
    script: parse(text),
    request: {
      task: 'The total ignores the quantity of an item.',
      mode: 'bugfix',
      flags: { provider: 'scripted', base: 'main' },
    },
    through: [
      /^analyst_review#1 revise REJECT$/,
      /^code_review#1 revise FAIL$/,
      /^integrate#1 \S+ conflict$/,
    ],
  }
}

const shortWorkflow = `name: short
description: Write, review, merge.
inputs: { task: { required: true } }
defaults: { commits: engine, on: { failed: ask, blocked: ask } }
roles:
  writer: { title: WRITER, prompt: do.md, capabilities: [read, edit], may_write: ["**"] }
  reviewer: { title: REVIEWER, prompt: do.md, capabilities: [read], verdicts: { verdict: { APPROVE: ok, REJECT: revise } } }
  merger: { title: MERGER, prompt: do.md, capabilities: [read, edit, shell, commit, merge], may_write: ["**"], commits: agent }
steps:
  - { id: write, agent: writer, reads: [review] }
  - id: review
    agent: reviewer
    reads: [diff]
    writes: { path: "review_v{n}.md", or: answer }
    on: { REJECT: { to: write, feedback: why, limit: 2, then: ask } }
  - { id: integrate, do: merge-base, on: { clean: deliver, conflict: resolve } }
  - { id: resolve, agent: merger, reads: [conflicts], gates: [no_conflict_markers, merge_commit, tests_pass] }
  - { id: deliver, do: deliver }
`

function short() {
  const files = {
    'words.txt': 'one\n',
    '.baton/config.yaml': `workflow: short\n${quickTests}`,
    '.baton/workflows/short.yaml': shortWorkflow,
    '.baton/prompts/do.md': 'Do what the task says.\n',
  }
  const merge = [
    ['git', 'add', '-A'],
    ['git', 'commit', '--no-edit', '--quiet'],
  ]
  return {
    commits: [
      { message: 'One word', author, files },
      { message: 'Their word', author, files: { 'words.txt': 'one\ntheirs\n' } },
    ],
    script: {
      name: 'short',
      roles: {
        writer: [
          { writes: { 'words.txt': 'one\nour\n' }, answer: {} },
          { writes: { 'words.txt': 'one\nours\n' }, answer: {} },
        ],
        reviewer: [
          { answer: { verdict: 'REJECT', why: 'A letter is missing.' } },
          { answer: { verdict: 'APPROVE' } },
        ],
        merger: [{ writes: { 'words.txt': 'one\nours\ntheirs\n' }, runs: merge, answer: {} }],
      },
    },
    request: { task: 'Add our word', flags: { provider: 'scripted', base: 'main' } },
    through: [/^review#1 revise REJECT$/, /^integrate#1 \S+ conflict$/],
  }
}

/**
 * Every agent, its files changed and nothing committed or answered, looks for the file `hold` beside the repository.
 * Where it is, the agent stays there, and so does what it has started in a session and an environment of its own.
 */
const hold = [
  'sh',
  '-c',
  'test -e ../../hold || exit 0; (env -i setsid sleep 600 &); mv ../../hold ../../held; exec sleep 600',
]

function withHold(script) {
  for (const calls of Object.values({ ...script.roles, ...script.steps }))
    for (const call of calls) call.runs = [hold, ...(call.runs ?? [])]
  return script
}

function filesIn(folder) {
  const top = join(root, folder)
  const entries = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [relative(top, path), readFileSync(path, 'utf8')]))
}
