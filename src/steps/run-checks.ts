import { join } from 'node:path'
import { TimeUsedUpError } from '../model/durable.ts'
import type { CheckSetting } from '../model/settings.ts'
import { instantOf } from '../platform/clock.ts'
import { ensureDirectory, readTail } from '../platform/files.ts'
import { readInside, UnsafePathError } from '../platform/inside-file.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { restoreTree } from '../git/restore.ts'
import { detectTests } from './detect-tests.ts'
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
}

/** Runs checks side by side in the worktree while no agent lives there; what they leave behind is put away again. */
export async function runChecks(site: Site, run: CheckRun): Promise<CheckReport[]> {
  await ensureDirectory(run.dir)
  const at = { ...run, root: site.task.worktree }
  const reports = await Promise.all(run.names.map((name) => runOne(site, name, at)))
  await restoreTree(site.task, {
    to: run.tip,
    message: `What the checks of ${run.key} left behind\n`,
    date: run.at,
    step: run.key,
  })
  return reports
}

type RunAt = Omit<CheckRun, 'names' | 'tip' | 'at'> & { readonly root: string }

/** In a folder that nobody else uses and that is not put back afterwards. */
export async function runCheck(site: Site, name: string, run: RunAt): Promise<CheckReport> {
  await ensureDirectory(run.dir)
  return runOne(site, name, run)
}

async function runOne(site: Site, name: string, run: RunAt): Promise<CheckReport> {
  const log = join(run.dir, `${name.replaceAll(/[^\w.-]/g, '_')}.log`)
  const setting = await settingOf(site, name, run.root)
  if (!setting) {
    const reason = missingCheck(name)
    return { name, command: '', optional: false, label: 'failed', log: '', tail: '', reason }
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
  const tail = `${await readTail(log, 2000)}\n${await readTail(`${log}.err`, 2000)}`.trim()
  const about = { name, command, optional: setting.optional, log, tail: tail.slice(-3000) }
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

async function settingOf(site: Site, name: string, root: string): Promise<CheckSetting | undefined> {
  const configured = site.settings.checks[name]
  if (configured || name !== 'tests') return configured
  const command = await detectTests((path) => readPlain(root, path))
  return command && { command, timeoutMs: 15 * 60_000, optional: false, labels: {}, network: [] }
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
