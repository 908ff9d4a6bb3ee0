// The program as a user has it: the built command, a process of its own, a clean environment, an empty home.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { gitIn, makeFolder, makeRepository } from '../support/git.ts'
import type { Files } from '../support/git.ts'

export const program = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url))

/** One for all homes: the program is started hundreds of times, and compiled once. */
export const codeCache = fileURLToPath(new URL('../../dist/.cache', import.meta.url))

export interface Ended {
  /** 128 and more: ended by a signal, as a shell would say it. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Waits until the text has been printed, on either stream. */
  printed(text: string): Promise<void>
}

export interface Surroundings {
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** No file may grow beyond so many times 512 bytes. */
  readonly fileBlocks?: number
  /** Where stdout goes, instead of to the test. */
  readonly stdoutFile?: string
}

/** Types `baton <args>` in a folder and waits for its end. */
export async function baton(
  cwd: string,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Ended> {
  return (await startBaton(cwd, args, surroundings)).ended
}

/** Types it and goes on. What is still running after the last test of a file is killed. */
export async function startBaton(
  cwd: string,
  args: readonly string[],
  { home, env, input, ...given }: Surroundings = {},
): Promise<Running> {
  const HOME = home ?? (await (emptyHome ??= makeFolder()))
  const [command = '', ...words] = [...shellFor(given), process.execPath, program, ...args]
  const child = spawn(command, words, {
    cwd,
    env: { PATH: path, HOME, LANG: 'C.UTF-8', XDG_CACHE_HOME: codeCache, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const texts = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code: code ?? (signal === 'SIGKILL' ? 137 : 143), ...texts })
    })
  })
  started.push(child)
  return {
    child,
    ended,
    printed: (text) => until(() => texts.stdout.includes(text) || texts.stderr.includes(text), text),
  }
}

function shellFor({ fileBlocks, stdoutFile }: Surroundings): string[] {
  if (fileBlocks === undefined && stdoutFile === undefined) return []
  const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks} && `
  const to = stdoutFile === undefined ? '' : ` >${stdoutFile}`
  return ['/bin/sh', '-c', `${limit}exec "$@"${to}`, 'sh']
}

const path = [...new Set([dirname(process.execPath), '/usr/bin', '/bin'])].join(':')
let emptyHome: Promise<string> | undefined
const started: ChildProcess[] = []

afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** Asks again until the answer is yes; fails before its test would and says what it waited for. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; await sleep(20)) if (await isSo()) return
  throw new Error(`waited in vain for: ${what}`)
}

/** What the documents of the commands hold, as far as the tests read it. */
export interface Document {
  readonly walls?: string
  readonly run: string
  readonly outcome: string
  readonly reason: string
  readonly repository: string
  readonly base: string
  readonly branch: string
  readonly worktree: string
  readonly journal: string
  readonly steps: readonly { readonly step: string; readonly outcome: string }[]
  readonly name: string
  readonly layer: string
  readonly files: readonly string[]
  readonly type: string
  readonly stopped: readonly { readonly pid: number; readonly command: string }[]
  readonly error: { readonly code: string; readonly message: string; readonly next: string }
}

/** The one document on stdout. */
export function documentOf({ stdout }: Ended): Document {
  return JSON.parse(stdout) as Document
}

export function listOf({ stdout }: Ended): readonly Document[] {
  return JSON.parse(stdout) as readonly Document[]
}

export interface Traces {
  readonly runs: readonly string[]
  readonly refs: readonly string[]
  readonly worktrees: readonly string[]
  readonly folders: readonly string[]
  readonly status: readonly string[]
}

/** What is left of a run in its repository: all of it, so that nothing can hide. */
export async function tracesIn(root: string): Promise<Traces> {
  const lines = async (...args: string[]): Promise<string[]> =>
    (await gitIn(root, ...args)).split('\n').filter((line) => line !== '')
  const [runs, refs, worktrees, folders, status] = await Promise.all([
    namesIn(join(root, '.baton', 'runs')),
    lines('for-each-ref', '--format=%(refname)'),
    lines('worktree', 'list'),
    namesIn(join(root, '..', '.worktrees')),
    lines('status', '--porcelain'),
  ])
  const others = refs.filter((ref) => ref !== 'refs/heads/main')
  return { runs, refs: others, worktrees: worktrees.slice(1), folders, status }
}

export const noTraces: Traces = { runs: [], refs: [], worktrees: [], folders: [], status: [] }

export async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = await readdir(folder).catch(() => [])
  return names.toSorted()
}

/** A refusal: two lines on stderr, exit 2, nothing on stdout. Gives the two lines without their first words. */
export function refusalOf(ended: Ended): { readonly error: string; readonly next: string } {
  const lines = ended.stderr.split('\n')
  expect(
    { code: ended.code, stdout: ended.stdout, lines: lines.length, last: lines.at(-1) },
    ended.stderr,
  ).toEqual({
    ...{ code: 2, stdout: '', lines: 3, last: '' },
  })
  const [error = '', next = ''] = lines
  expect(error).toMatch(/^error: \S/)
  expect(next).toMatch(/^next: \S/)
  return { error: error.slice('error: '.length), next: next.slice('next: '.length) }
}

/** The lines of a run's journal. */
export async function journalOf(
  root: string,
  run = '1',
): Promise<{ ts: string; type: string; role: string; data: Record<string, unknown> }[]> {
  const text = await readFile(join(root, '.baton', 'runs', `${run}.log.jsonl`), 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) => JSON.parse(line) as { ts: string; type: string; role: string; data: Record<string, unknown> },
    )
}

/** Waits until the journal of a run holds a fact of that type. */
export async function untilFact(root: string, type: string, run = '1'): Promise<void> {
  const has = async (): Promise<boolean> =>
    (await journalOf(root, run).catch(() => [])).some((line) => line.type === type)
  await until(has, `${type} in the journal of run ${run}`)
}

/** Processes that carry the mark of this repository's agents and checks. */
export async function processesOf(root: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const marked = await Promise.all(
    ids.map(async (id) => {
      const text = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')
      return text.includes(`BATON_MARK=${root}/`) ? [id] : []
    }),
  )
  return marked.flat()
}

/** One agent, then whatever steps are given: the smallest workflow that shows a thing. */
export function smallWorkflow(rest = '  - { id: deliver, do: deliver }\n'): Files {
  return {
    '.baton/config.yaml':
      'workflow: small\nprovider: scripted\nchecks: { tests: { command: [test, -f, README.md] } }\n',
    '.baton/prompts/worker.md': 'Do what the task says.\n',
    '.baton/workflows/small.yaml': `name: small
description: One worker.
inputs: { task: { required: true }, colour: { default: blue } }
defaults: { retry: { max_attempts: 1 }, on: { failed: ask, blocked: ask } }
roles:
  worker: { prompt: worker.md, capabilities: [read, edit, shell, commit], may_write: ["**"], commits: engine }
steps:
  - { id: work, agent: worker }
${rest}`,
    'README.md': 'hello\n',
  }
}

/** Asks a person before it delivers; a rejection goes back to the worker. */
export const thenAsk = `  - id: person
    ask: "Merge '{branch}'?"
    on: { revise: { to: work, limit: 3, then: fail } }
  - { id: deliver, do: deliver }
`

/** A repository with the small workflow, and a script beside it. */
export async function smallProject(script: string, rest?: string): Promise<{ root: string; script: string }> {
  const root = await makeRepository(smallWorkflow(rest))
  return { root, script: await scriptBeside(root, script) }
}

export async function scriptBeside(root: string, text: string): Promise<string> {
  const file = join(dirname(root), 'script.yaml')
  await writeFile(file, text)
  return file
}

/** Writes a file and answers, at once. */
export const works = `roles:
  worker:
    - writes: { work.txt: "done\\n" }
      answer: { status: success }
`
