// Whole runs of one small role in repositories that are difficult in themselves. The workflows lie in a user's
// folder, so that a repository can be run in exactly as it is.
import { lstat, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resumeRun } from '../../src/cli/resume-run.ts'
import { startRun } from '../../src/cli/start-run.ts'
import type { RunOutcome } from '../../src/cli/open-session.ts'
import type { Surroundings } from '../../src/cli/workbench.ts'
import { sendMessage } from '../../src/journal/inbox.ts'
import { readState } from '../../src/journal/read-state.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { sha256Of } from '../../src/platform/files.ts'
import { gitIn, makeFolder, writeFiles } from './git.ts'
import type { Entry } from './pipeline.ts'

// Runs side by side in one process each keep a few shells, and each shell listens for the end of the process.
process.setMaxListeners(100)

const role = (more: string): string =>
  `  worker: { prompt: worker.md, capabilities: [read, edit, shell, commit], repair: 0, ${more} }\n`

const workflow = (name: string, more: string, steps: readonly string[]): string =>
  `name: ${name}
inputs: { task: { required: true } }
defaults: { retry: { max_attempts: 1 }, on: { failed: fail, blocked: fail } }
roles:
${role(more)}steps:
${steps.map((step) => `  - ${step}\n`).join('')}`

const work = '{ id: work, agent: worker }'
const deliver = '{ id: deliver, do: deliver }'
const anywhere = 'may_write: ["**"]'

/** What a hard repository is put through. The worker changes files; the engine commits unless it says otherwise. */
const workflows = {
  work: workflow('work', anywhere, [work, deliver]),
  coder: workflow('coder', `${anywhere}, commits: agent`, [work, deliver]),
  tested: workflow('tested', anywhere, ['{ id: work, agent: worker, gates: [tests_pass] }', deliver]),
  scoped: workflow('scoped', 'may_write: ["docs/"]', [work, deliver]),
  /** Is handed the diff, as a file in the worktree. */
  reader: workflow('reader', 'may_write: ["docs/"]', ['{ id: work, agent: worker, reads: [diff] }', deliver]),
  merge: workflow('merge', anywhere, [work, '{ id: merge, do: merge-base }', deliver]),
  pause: workflow('pause', anywhere, [
    work,
    '{ id: person, ask: "Go on?" }',
    '{ id: more, agent: worker }',
    deliver,
  ]),
  /** A worker that may say that it cannot go on, and then asks. */
  helped: workflow('helped', `${anywhere}, verdicts: { status: { success: ok, blocked: blocked } }`, [
    '{ id: work, agent: worker, on: { blocked: ask, revise: { to: work, limit: 3, then: fail } } }',
    deliver,
  ]),
} as const

let home: Promise<string> | undefined

/** A home whose settings hold these workflows, for the command line too. */
export async function hardHome(): Promise<string> {
  return (home ??= furnishHome())
}

async function furnishHome(): Promise<string> {
  const folder = await makeFolder()
  await writeFiles(join(folder, '.config', 'baton'), {
    'config.yaml': 'provider: scripted\n',
    'prompts/worker.md': 'Do what the task says.\n',
    ...Object.fromEntries(Object.entries(workflows).map(([name, text]) => [`workflows/${name}.yaml`, text])),
  })
  return folder
}

export interface HardRun {
  /** Where the command is typed. */
  readonly at: string
  readonly workflow?: keyof typeof workflows
  readonly base?: string
  /** What the worker does, and at last in the step after the pause; it answers that it is done. */
  readonly does: readonly Entry[]
}

export interface HardEnd extends Pick<RunOutcome, 'folder'> {
  /** `delivered`, `failed`, `waiting`. */
  readonly status: string
  readonly reason: string
  readonly branch: string
  readonly worktree: string
}

/** Runs to the end or to a question, in this process. */
export async function runHard({ at, workflow: name = 'work', base, does }: HardRun): Promise<HardEnd> {
  const script = await scriptOf(does)
  const flags = { workflow: name, ...(base === undefined ? {} : { base }) }
  return endOf(await startRun(await surroundings(at), { task: 'Write the work', inputs: {}, flags, script }))
}

/** A file with a script, apart from every repository. */
export async function scriptOf(does: readonly Entry[]): Promise<string> {
  const script = join(await makeFolder(), 'script.json')
  const worker = does.map((entry) => ({ answer: { done: true }, ...entry }))
  await writeFile(script, JSON.stringify({ roles: { worker }, steps: { more: worker.slice(-1) } }))
  return script
}

/** After a person has said yes. */
export async function goOn(at: string, { folder }: Pick<HardEnd, 'folder'>): Promise<HardEnd> {
  await sendMessage(folder.inbox, { to: (await readState(folder)).asked, verb: 'approve', text: '' })
  return resumeHard(at)
}

export async function resumeHard(at: string): Promise<HardEnd> {
  return endOf(await resumeRun(await surroundings(at), {}))
}

function endOf({ end, folder, state }: RunOutcome): HardEnd {
  const { status, branch, worktree } = state
  const reason = end.type === 'finished' ? (end.end.reason ?? '') : ''
  return { status, reason, branch, worktree, folder }
}

async function surroundings(cwd: string): Promise<Surroundings> {
  return {
    cwd,
    env: { PATH: process.env['PATH'], HOME: await hardHome() },
    clock: systemClock,
    interrupt: new AbortController().signal,
    onLine: () => undefined,
  }
}

/** A command of a scripted agent that has to succeed. */
export function shell(line: string): Entry {
  return { argv: ['sh', '-c', line], must: true }
}

/** Name and content of every file that the branch changes against another, names as git holds them. */
export async function changes(root: string, branch: string, from = 'main'): Promise<Record<string, string>> {
  const list = await gitIn(root, 'diff', '--no-renames', '--name-only', '-z', from, branch)
  const paths = list.split('\0').filter((path) => path !== '')
  const texts = paths.map(
    async (path) => [path, await gitIn(root, 'show', `${branch}:${path}`).catch(() => 'deleted')] as const,
  )
  return Object.fromEntries(await Promise.all(texts))
}

/** Every file below a folder with its kind, mode and content, git's own included: so that nothing can change unseen. */
export async function photograph(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, encoding: 'latin1' })
  const looks = entries.map(
    async (name) => [name, await lookOf(Buffer.from(join(root, name), 'latin1'))] as const,
  )
  return Object.fromEntries(await Promise.all(looks))
}

async function lookOf(path: Buffer): Promise<string> {
  const entry = await lstat(path)
  const mode = entry.mode.toString(8)
  if (entry.isSymbolicLink()) return `${mode} ${await readlink(path)}`
  return entry.isFile() ? `${mode} ${sha256Of(await readFile(path))}` : mode
}

/** What is new or different in the second picture, and what is gone (as `-name`). */
export function difference(before: Record<string, string>, after: Record<string, string>): string[] {
  const news = Object.entries(after).filter(([name, look]) => before[name] !== look)
  const gone = Object.keys(before).filter((name) => !(name in after))
  return [...news.map(([name]) => name), ...gone.map((name) => `-${name}`)].toSorted()
}
