import { join } from 'node:path'
import { TimeUsedUpError } from '../model/durable.ts'
import type { CheckSetting } from '../model/settings.ts'
import { instantOf } from '../platform/clock.ts'
import { ensureDirectory, readTail } from '../platform/files.ts'
import { folderInside, readInside, UnsafePathError } from '../platform/inside-file.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { restoreTree } from '../git/restore.ts'
import { readOutput } from './check-output.ts'
import { detectProject } from './detect-tests.ts'
import { homeOf, ownEnvironment } from './own-home.ts'
import { runCommandInRoom } from './run-in-room.ts'
import type { Site } from './workplace.ts'

export type CheckReport = {
  readonly name: string
  readonly command: string
  readonly optional: boolean
  /** Absent where the command could not be run at all. */
  readonly exit_code?: number
  readonly label: string
  readonly log: string
  readonly tail: string
  /** All that it printed, or its beginning and its end. */
  readonly output: string
  readonly reason?: string
}

export interface CheckRun {
  readonly names: readonly string[]
  readonly dir: string
  /** When the step's time is over. */
  readonly deadline?: number
  readonly runDeadline?: number
  readonly signal: AbortSignal
  readonly key: string
  /** The commit that is checked, and that the worktree is put back to afterwards. */
  readonly tip: string
  readonly at: string
  /** The folder of the worktree that they run in; the worktree itself if empty. */
  readonly folder?: string
}

/** Runs checks side by side in the worktree while no agent lives there; what they leave behind is put away again. */
export async function runChecks(site: Site, run: CheckRun): Promise<CheckReport[]> {
  await ensureDirectory(run.dir)
  const root = await folderInside(site.task.worktree, run.folder ?? '')
  const at = { ...run, mostOutput: Math.floor(allOutput / run.names.length) }
  const reports = await Promise.all(
    run.names.map(async (name) =>
      root === undefined
        ? notRun(name, `there is no folder '${run.folder}'`)
        : runOne(site, name, { ...at, root }),
    ),
  )
  await restoreTree(site.task, {
    to: run.tip,
    message: `What the checks of ${run.key} left behind\n`,
    date: run.at,
    step: run.key,
  })
  return reports
}

/** Of all checks of a step together: a value of the journal is small. */
const allOutput = 60_000

type RunAt = Omit<CheckRun, 'names' | 'tip' | 'at' | 'folder'> & {
  readonly root: string
  readonly mostOutput?: number
}

/** In a folder that nobody else uses and that is not put back afterwards. */
export async function runCheck(site: Site, name: string, run: RunAt): Promise<CheckReport> {
  await ensureDirectory(run.dir)
  return runOne(site, name, run)
}

async function runOne(site: Site, name: string, run: RunAt): Promise<CheckReport> {
  const log = join(run.dir, `${name.replaceAll(/[^\w.-]/g, '_')}.log`)
  const setting = await settingOf(site, name, run.root)
  if (!setting) {
    return notRun(name, missingCheck(name))
  }
  const command = setting.command.join(' ')
  const home = await homeOf(site, run.root)
  const request = {
    argv: setting.command,
    cwd: run.root,
    env: { ...ownEnvironment(site, home), CI: '1', ...site.ports },
    stdoutFile: log,
    stderrFile: `${log}.err`,
    wallMs: timeFor(site, setting, run),
    signal: run.signal,
    mark: { owner: site.folder.dir, name: `${run.key}/${name}` },
  }
  const place = { root: run.root, home, scratch: `${log}.tmp`, readable: [site.task.worktree] }
  const { end } = await runCommandInRoom(site, request, { place, hosts: setting.network })
  run.signal.throwIfAborted()
  if (end.type === 'timeout' && run.runDeadline !== undefined && instantOf(site.clock) >= run.runDeadline) {
    throw new TimeUsedUpError()
  }
  // A command that was not found has left no log.
  if (end.type === 'not_found')
    return { ...notRun(name, `'${command}': ${whyBroken(end)}`), command, optional: setting.optional }
  const tail = `${await readTail(log, 2000)}\n${await readTail(`${log}.err`, 2000)}`.trim()
  const { mostOutput } = run
  const output = mostOutput === undefined ? '' : await readOutput([log, `${log}.err`], mostOutput)
  const about = { name, command, optional: setting.optional, log, tail: tail.slice(-3000), output }
  if (end.type === 'exited') {
    const word = end.code === 0 ? 'pass' : (setting.labels[String(end.code)] ?? 'fail')
    return { ...about, exit_code: end.code, label: word }
  }
  return { ...about, label: 'failed', reason: `'${command}': ${whyBroken(end)}` }
}

function whyBroken(end: ProcessEnd): string {
  if (end.type === 'not_found') return `'${end.command}' was not found`
  return end.type === 'excess' ? `it used more ${end.what} than the limits allow` : `it ended by ${end.type}`
}

function timeFor(site: Site, setting: CheckSetting, { deadline }: RunAt): number {
  if (deadline === undefined) return setting.timeoutMs
  return Math.max(1, Math.min(setting.timeoutMs, deadline - instantOf(site.clock)))
}

function notRun(name: string, reason: string): CheckReport {
  return { name, command: '', optional: false, label: 'failed', log: '', tail: '', output: '', reason }
}

/** What the settings say, else what the project's files say, else what the workflow does. */
async function settingOf(site: Site, name: string, root: string): Promise<CheckSetting | undefined> {
  const configured = site.settings.checks[name]
  if (configured) return configured
  const found = name === 'tests' ? await detectProject((path) => readPlain(root, path)) : undefined
  const own = site.workflow.checks[name]
  const common = { timeoutMs: 15 * 60_000, optional: false, network: [] }
  if (own && (!found || own.kinds.includes(found.kind)))
    return { ...common, command: own.command, labels: own.labels }
  return found && { ...common, command: found.command, labels: {} }
}

/** What is no plain file of a sane size says nothing about the project's tests. */
async function readPlain(root: string, path: string): Promise<string | undefined> {
  try {
    return await readInside(root, path, { maxBytes: 5_000_000 })
  } catch (error) {
    if (error instanceof UnsafePathError) return undefined
    throw error
  }
}

function missingCheck(name: string): string {
  return name === 'tests'
    ? 'no test command was found (package.json, Cargo.toml, go.mod, pytest, Makefile) and checks.tests was not set in .baton/config.yaml when the run began: the project needs one of them'
    : `the check '${name}' is not set under checks in .baton/config.yaml`
}
