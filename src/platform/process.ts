import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, constants, lstatSync, openSync, rmSync, statSync } from 'node:fs'
import { birthOf } from './birth.ts'
import { errorCode } from './errno.ts'
import { findExecutable } from './executable.ts'
import { FileTail, sizeOf } from './file-tail.ts'
import { signalGroup, terminateGroup } from './process-group.ts'
import { markText, markVariable } from './mark.ts'
import type { Mark } from './mark.ts'
import { killMarked, killMarkedAtOnce } from './processes.ts'
import { guardCeiling } from './warden.ts'
import type { Ceiling, Excess } from './warden.ts'
import { watchLimits, watchOutput } from './watch-process.ts'
import { wrapped } from './wrapper.ts'

export interface ProcessRequest {
  /** Never a shell line. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment, nothing inherited. The command is looked up in its PATH. */
  readonly env: Readonly<Record<string, string>>
  /** /dev/null if absent. */
  readonly stdinFile?: string
  /** Emptied first, then written by the process itself. May be the same file as `stderrFile`. */
  readonly stdoutFile: string
  readonly stderrFile: string
  /**
   * Holds `{"code":N}` as soon as the command has ended, written by a shell around it and not by us, so that
   * an answer can be used although the engine was killed; while it is empty it says nothing. Not written if the process was stopped. With it, a
   * command that died of signal n has exited with 128 + n: live and after a resume the same is known.
   */
  readonly exitFile?: string
  readonly wallMs?: number
  /** No byte on stdout or stderr for that long; a function is asked at every look. */
  readonly idleMs?: number | (() => number)
  /** Over it, everything that was started is killed at once. */
  readonly ceiling?: Ceiling
  /** How it is asked to stop: SIGTERM if absent. */
  readonly stopSignal?: 'SIGTERM' | 'SIGINT'
  /** From that to SIGKILL. */
  readonly graceMs?: number
  readonly signal?: AbortSignal
  /** Whatever still carries it when the process has ended is killed. */
  readonly mark?: Mark
  /** Awaited before the result is given. If it rejects, the process is stopped and the error thrown. */
  readonly onStarted?: (pid: number) => void | Promise<void>
  /** Stdout as it grows: in order, and complete before the result is given. If it throws, as above. */
  readonly onOutput?: (chunk: Buffer) => void
}

export type ProcessEnd =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'signalled'; readonly signal: string }
  | { readonly type: 'timeout' }
  | { readonly type: 'idle' }
  | { readonly type: 'excess'; readonly what: Excess }
  | { readonly type: 'aborted' }
  | { readonly type: 'not_found'; readonly command: string }

export interface ProcessResult {
  readonly end: ProcessEnd
  readonly durationMs: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** What had outlived the process and carried its mark. Always empty on macOS, see processes.ts. */
  readonly sweptPids: readonly number[]
}

const defaultGraceMs = 2000

/**
 * Runs a process in a group of its own until it has ended and everything it started is gone. Its output goes
 * straight into the files: memory stays flat, nothing waits for us, and the output outlives us.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const startedAt = performance.now()
  const [command] = request.argv
  const executable = findExecutable(command, request)
  if (executable === undefined) return nothingRan({ type: 'not_found', command })
  if (request.signal?.aborted === true) return nothingRan({ type: 'aborted' })
  if (!statSync(request.cwd).isDirectory()) throw new Error(`${request.cwd} is not a directory`)

  const files = openFiles(request)
  try {
    const { end, sweptPids } = await supervise(start(request, executable, files), request, files)
    const durationMs = Math.round(performance.now() - startedAt)
    return {
      end,
      durationMs,
      stdoutBytes: sizeOf(files.stdout),
      stderrBytes: sizeOf(files.stderr),
      sweptPids,
    }
  } finally {
    closeFiles(files)
  }
}

function nothingRan(end: ProcessEnd): ProcessResult {
  return { end, durationMs: 0, stdoutBytes: 0, stderrBytes: 0, sweptPids: [] }
}

interface Files {
  readonly stdin: number | 'ignore'
  readonly stdout: number
  readonly stderr: number
}

function openFiles({ stdinFile, stdoutFile, stderrFile, exitFile }: ProcessRequest): Files {
  const { O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = constants
  const flags = O_RDWR | O_CREAT | O_TRUNC | O_APPEND
  // The answer of an earlier attempt must not be taken for this one's.
  if (exitFile !== undefined && lstatSync(exitFile, { throwIfNoEntry: false })) rmSync(exitFile)
  const opened: number[] = []
  try {
    const stdin = stdinFile === undefined ? 'ignore' : openSync(stdinFile, 'r')
    if (stdin !== 'ignore') opened.push(stdin)
    const stdout = openSync(stdoutFile, flags, 0o600)
    opened.push(stdout)
    return { stdin, stdout, stderr: openSync(stderrFile, flags, 0o600) }
  } catch (error) {
    opened.forEach((file) => closeSync(file))
    throw error
  }
}

function closeFiles({ stdin, stdout, stderr }: Files): void {
  if (stdin !== 'ignore') closeSync(stdin)
  closeSync(stdout)
  closeSync(stderr)
}

function start(request: ProcessRequest, executable: string, files: Files): ChildProcess {
  const { argv, cwd, mark } = request
  const [name, ...args] = argv
  const env = mark === undefined ? request.env : { ...request.env, [markVariable]: markText(mark) }
  const options = { cwd, env, stdio: [files.stdin, files.stdout, files.stderr], detached: true }
  const inShell = wrapped([executable, ...args], request)
  return inShell === undefined
    ? spawn(executable, args, { ...options, argv0: name })
    : spawn('/bin/sh', inShell, options)
}

type Supervised = Pick<ProcessResult, 'end' | 'sweptPids'>

/** Leaders of the groups that this process has started and not yet seen the end of, with their marks. */
const living = new Map<number, Mark | undefined>()

/** For who has to leave at once and cannot wait for anybody: no agent may work on unseen, nor what it has started. */
export function killLiving(): void {
  for (const [leader, mark] of living) {
    signalGroup(leader, 'SIGKILL')
    if (mark !== undefined) killMarkedAtOnce(mark)
  }
}

async function supervise(child: ChildProcess, request: ProcessRequest, files: Files): Promise<Supervised> {
  const exited = exitOf(child, request)
  const leader = child.pid
  if (leader === undefined) return { end: await exited, sweptPids: [] }
  living.set(leader, request.mark)
  const birth = birthOf(leader)

  const stop = deferred<ProcessEnd>()
  const over = new AbortController()
  const tail = request.onOutput === undefined ? undefined : new FileTail(files.stdout, request.onOutput)
  // Before anybody is told of the start, who may abort at once.
  const unwatch = watchLimits(request, stop.resolve)
  const unguard = guardCeiling(leader, request.ceiling, (what) => stop.resolve({ type: 'excess', what }))
  const jobs = [
    notifyStarted(request, leader),
    watchOutput(request, { files, tail, over: over.signal, onIdle: () => stop.resolve({ type: 'idle' }) }),
  ]
  const work = Promise.all(jobs)
  // This only stops the process; the error itself comes out of `await work`.
  work.catch(() => stop.resolve({ type: 'aborted' }))

  const end = await Promise.race([exited, stop.promise])
  unwatch()
  unguard()
  if (end.type !== 'exited' && end.type !== 'signalled') {
    const graceMs = end.type === 'excess' ? 0 : (request.graceMs ?? defaultGraceMs)
    await terminateGroup(leader, graceMs, request.stopSignal)
    await exited
  }
  over.abort()
  const sweptPids = request.mark === undefined ? [] : await killMarked(request.mark, birth)
  // What stayed behind in the group without the mark, or was started without one.
  signalGroup(leader, 'SIGKILL')
  living.delete(leader)
  // Both, also if one has failed: the files are closed after this.
  await Promise.allSettled(jobs)
  await work
  await tail?.drain()
  return { end, sweptPids }
}

function exitOf(child: ChildProcess, { argv }: ProcessRequest): Promise<ProcessEnd> {
  return new Promise((settle, reject) => {
    child.once('error', (error) => {
      // The file is there and so is the directory: the interpreter that the script's first line names is not.
      if (errorCode(error) === 'ENOENT') settle({ type: 'not_found', command: argv[0] })
      else reject(error)
    })
    child.once('exit', (code, signal) => {
      settle(code === null ? { type: 'signalled', signal: String(signal) } : { type: 'exited', code })
    })
  })
}

/** Async, so that a callback that throws at once is treated like one that rejects. */
async function notifyStarted({ onStarted }: ProcessRequest, pid: number): Promise<void> {
  await onStarted?.(pid)
}

/** Promise.withResolvers, which Node 20 does not have. */
function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => {}
  const promise = new Promise<T>((accept) => {
    settle = accept
  })
  return { promise, resolve: settle }
}
