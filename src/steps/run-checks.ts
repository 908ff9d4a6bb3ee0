import { join } from 'node:path'
import { TimeUsedUpError } from '../model/durable.ts'
import type { CheckSetting } from '../model/settings.ts'
import { instantOf } from '../platform/clock.ts'
import { ensureDirectory, readTail } from '../platform/files.ts'
import { folderInside, readInside, UnsafePathError } from '../platform/inside-file.ts'
import type { ProcessEnd } from '../platform/process.ts'
import { restoreTree } from '../git/restore.ts'
import { findExecutable } from '../platform/executable.ts'
import { together } from '../platform/together.ts'
import { readOutput } from './check-output.ts'
import type { CheckReport } from './check-report.ts'
import { detectProject } from './detect-tests.ts'
import { homeOf, ownEnvironment } from './own-home.ts'
import { runCommandInRoom } from './run-in-room.ts'
import { detectTools, projectTools } from './project-tools.ts'
import type { Tool } from './project-tools.ts'
import { cutOutput } from './tool-output.ts'
import type { Site } from './workplace.ts'

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
  if (root === undefined) return run.names.map((name) => notRun(name, `there is no folder '${run.folder}'`))
  const named = (await Promise.all(run.names.map((name) => checksNamed(site, name, root)))).flat()
  const at = { ...run, root, mostOutput: Math.floor(allOutput / Math.max(1, named.length)) }
  const reports = await together(named.map((check) => runOne(site, check, at)))
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
  return runOne(site, { name }, run)
}

/** A check by its name; or a tool of the project's, which was looked up already. */
type Named = { readonly name: string } | Tool

/** One name stands for all tools of the project: those of the settings, else those that its files tell of. */
async function checksNamed(site: Site, name: string, root: string): Promise<Named[]> {
  if (name !== projectTools) return [{ name }]
  const configured = Object.entries(site.settings.tools ?? {})
  if (configured.length > 0) return configured.map(([tool, setting]) => ({ name: tool, setting, needs: [] }))
  const tests = site.settings.checks['tests']
  const detected = await detectTools((path) => readPlain(root, path))
  if (!tests) return detected
  // How the project is tested was said already.
  return [{ name: 'tests', setting: tests, needs: [] }, ...detected.filter(({ setting }) => setting.optional)]
}

async function runOne(site: Site, named: Named, run: RunAt): Promise<CheckReport> {
  const { name } = named
  const log = join(run.dir, `${name.replaceAll(/[^\w.-]/g, '_')}.log`)
  const tool = 'setting' in named ? named : undefined
  const setting = tool?.setting ?? (await settingOf(site, name, run.root))
  if (!setting) {
    return notRun(name, missingCheck(name))
  }
  if (tool && !isInstalled(site, tool, run.root)) return missingTool(tool)
  return runSetting(site, { name, setting, log, isTool: tool !== undefined }, run)
}

function isInstalled(site: Site, { setting, needs }: Tool, root: string): boolean {
  const at = { cwd: root, env: site.env }
  return [setting.command[0], ...needs].every((program) => findExecutable(program, at) !== undefined)
}

function missingTool({ name, setting }: Tool): CheckReport {
  const { command, optional } = setting
  const reason = `'${command[0]}' was not found, and '${name}' is required`
  return {
    name,
    command: command.join(' '),
    optional,
    label: 'missing',
    log: '',
    tail: '',
    output: '',
    reason,
  }
}

interface ToRun {
  readonly name: string
  readonly setting: CheckSetting
  readonly log: string
  readonly isTool: boolean
}

async function runSetting(
  site: Site,
  { name, setting, log, isTool }: ToRun,
  run: RunAt,
): Promise<CheckReport> {
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
  const printed = isTool ? { tail: await wholeOutput(log), output: '' } : await printedTo(log, run)
  const about = { name, command, optional: setting.optional, log, ...printed }
  return { ...about, ...endWords(end, setting, isTool) }
}

/** A tool that took too long is evidence like any other; a check that did has not run. */
function endWords(
  end: ProcessEnd,
  setting: CheckSetting,
  isTool: boolean,
): Pick<CheckReport, 'label' | 'exit_code' | 'reason'> {
  if (isTool && end.type === 'timeout') return stopped(setting)
  if (end.type !== 'exited')
    return { label: 'failed', reason: `'${setting.command.join(' ')}': ${whyBroken(end)}` }
  const word = end.code === 0 ? 'pass' : (setting.labels[String(end.code)] ?? 'fail')
  return { exit_code: end.code, label: word }
}

function whyBroken(end: ProcessEnd): string {
  if (end.type === 'not_found') return `'${end.command}' was not found`
  return end.type === 'excess' ? `it used more ${end.what} than the limits allow` : `it ended by ${end.type}`
}

function stopped({ timeoutMs }: CheckSetting): Pick<CheckReport, 'label' | 'reason'> {
  return { label: 'timeout', reason: `it did not end within ${timeoutMs / 1000} s and was stopped` }
}

async function printedTo(log: string, { mostOutput }: RunAt): Promise<Pick<CheckReport, 'tail' | 'output'>> {
  const output = mostOutput === undefined ? '' : await readOutput([log, `${log}.err`], mostOutput)
  return { tail: await lastOutput(log), output }
}

async function lastOutput(log: string): Promise<string> {
  return `${await readTail(log, 2000)}\n${await readTail(`${log}.err`, 2000)}`.trim().slice(-3000)
}

async function wholeOutput(log: string): Promise<string> {
  return `${await cutOutput(log)}\n${await cutOutput(`${log}.err`)}`.trim()
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
