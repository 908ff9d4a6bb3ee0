import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { constants } from 'node:os'
import { isAbsolute } from 'node:path'
import type { Readable } from 'node:stream'
import { longestTimerMs } from './clock.ts'
import { runInShell, suitsShell } from './command-shell.ts'
import { findExecutable } from './executable.ts'
import { signalGroup } from './process-group.ts'
import type { ShellCommand } from './shell-script.ts'

export interface CaptureOptions {
  readonly cwd?: string
  /** The whole environment, nothing inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  /** More on stdout than this is an error, because half an answer would be taken for a whole one. */
  readonly maxBytes?: number
  /** Aborting kills the command and rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Killed after this time, with the code that timeout(1) gives: 124. */
  readonly timeoutMs?: number
}

export interface Captured {
  /** 127 if the command is missing, 128 + n if signal n ended it: as a shell would say. */
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

export interface PipedCommand extends CaptureOptions {
  readonly argv: readonly [string, ...string[]]
}

export interface Piped {
  readonly from: Pick<Captured, 'code' | 'stderr'>
  readonly to: Captured
}

/** What a shell says of a command, and a command perhaps of one that it was to start itself. */
const [cannotStart, notFound] = [126, 127]
export const defaultMaxBytes = 64 * 1024 * 1024
export const maxStderrBytes = 1024 * 1024

/**
 * Runs a small command, such as git, and holds what it prints in memory. It gets a session of its own: Ctrl-C
 * in the terminal is for the engine to handle and does not kill a half-done git beneath it.
 */
export async function captureCommand(
  argv: readonly [string, ...string[]],
  options: CaptureOptions,
): Promise<Captured> {
  options.signal?.throwIfAborted()
  const command = { ...options, argv }
  // A whole path need not be looked for: the shell says so if it leads nowhere.
  const executable = isAbsolute(argv[0]) ? argv[0] : locate(command)
  if (executable === undefined) return missing(argv[0])
  const answer = isPlain(command) ? await captureInShell(command, executable) : undefined
  if (answer && answer.code !== cannotStart && answer.code !== notFound) return answer
  if (locate(command) === undefined) return missing(argv[0])
  return answer ?? collect(start(command, executable, stdinOf(command)), command)
}

/**
 * `from | to`: the second reads from a socket that the first writes to, and no byte passes through this
 * process. If one of them cannot be found, neither is started.
 */
export async function pipeCommands(from: PipedCommand, to: Omit<PipedCommand, 'input'>): Promise<Piped> {
  from.signal?.throwIfAborted()
  to.signal?.throwIfAborted()
  const first = locate(from)
  const second = locate(to)
  if (first === undefined || second === undefined) {
    const answer = missing(first === undefined ? from.argv[0] : to.argv[0])
    return { from: answer, to: answer }
  }
  const answer = isPlain(from) && isPlain(to) ? await pipeInShell([from, first], [to, second]) : undefined
  return answer ?? pipeProcesses([from, first], [to, second])
}

async function pipeProcesses([from, first]: Located, [to, second]: Located): Promise<Piped> {
  const writer = start(from, first, stdinOf(from))
  const joint = writer.stdout
  const reader = start(to, second, joint ?? 'ignore')
  // Ours must go, or the writer would never learn that its reader has died.
  joint?.destroy()
  const [written, read] = await Promise.allSettled([collect(writer, from), collect(reader, to)])
  if (written.status === 'rejected') throw written.reason
  if (read.status === 'rejected') throw read.reason
  return { from: { code: written.value.code, stderr: written.value.stderr }, to: read.value }
}

/** Whatever may have to be stopped half-way needs a process of our own to stop. The shell looks at floods now and then. */
export function isPlain({ signal, timeoutMs, maxBytes = defaultMaxBytes, cwd, env }: PipedCommand): boolean {
  const mayBeStopped = signal !== undefined || timeoutMs !== undefined || maxBytes < defaultMaxBytes
  return !mayBeStopped && suitsShell({ env, cwd: cwd ?? process.cwd() })
}

async function captureInShell(command: PipedCommand, executable: string): Promise<Captured | undefined> {
  return runInShell(
    {
      commands: [shellCommand(command, executable)],
      input: command.input,
      maxBytes: command.maxBytes ?? defaultMaxBytes,
    },
    ({ codes, stdout, stderrs }) => ({
      code: codes[0] ?? 1,
      stdout: stdout(),
      stderr: (stderrs[0] ?? '').slice(0, maxStderrBytes),
    }),
  )
}

type Located = readonly [PipedCommand, string]

async function pipeInShell([from, first]: Located, [to, second]: Located): Promise<Piped | undefined> {
  return runInShell(
    {
      commands: [shellCommand(from, first), shellCommand(to, second)],
      input: from.input,
      maxBytes: to.maxBytes ?? defaultMaxBytes,
    },
    ({ codes, stdout, stderrs }) => ({
      from: { code: codes[0] ?? 1, stderr: stderrs[0] ?? '' },
      to: { code: codes[1] ?? 1, stdout: stdout(), stderr: stderrs[1] ?? '' },
    }),
  )
}

export function shellCommand({ argv, cwd, env }: PipedCommand, executable: string): ShellCommand {
  return { executable, args: argv.slice(1), cwd: cwd ?? process.cwd(), env }
}

export function locate({ argv, cwd, env }: PipedCommand): string | undefined {
  return findExecutable(argv[0], { cwd: cwd ?? process.cwd(), env })
}

function missing(command: string): Captured {
  return { code: 127, stdout: Buffer.alloc(0), stderr: `${command}: command not found\n` }
}

function stdinOf({ input }: PipedCommand): 'ignore' | 'pipe' {
  return input === undefined ? 'ignore' : 'pipe'
}

function start(command: PipedCommand, executable: string, stdin: 'ignore' | 'pipe' | Readable): ChildProcess {
  const [name, ...args] = command.argv
  const stdio: StdioOptions = [stdin, 'pipe', 'pipe']
  const { cwd, env } = command
  return spawn(executable, args, {
    argv0: name,
    env,
    stdio,
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  })
}

type Stopped = { readonly type: 'timeout' } | { readonly type: 'failed'; readonly error: unknown }

/** Resolves when the command has ended and everything it wrote has been read. */
async function collect(child: ChildProcess, command: PipedCommand): Promise<Captured> {
  const [name] = command.argv
  const maxBytes = command.maxBytes ?? defaultMaxBytes
  let stopped: Stopped | undefined
  function stop(why: Stopped): void {
    stopped ??= why
    kill(child)
  }
  const stdout = gather(child.stdout, maxBytes, () => {
    stop({ type: 'failed', error: new Error(`${name} printed more than ${maxBytes} bytes`) })
  })
  const stderr = gather(child.stderr, maxStderrBytes)
  const unwatch = watch(command, stop)
  feed(child, command.input)
  try {
    const code = await closeOf(child, command)
    if (stopped === undefined) return { code, stdout: stdout(), stderr: stderr().toString() }
    if (stopped.type === 'failed') throw stopped.error
    const note = `${name}: stopped after ${command.timeoutMs} ms\n`
    return { code: 124, stdout: stdout(), stderr: stderr().toString() + note }
  } finally {
    unwatch()
  }
}

function kill(child: ChildProcess): void {
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
  // Somebody who left the group may still hold the pipes; he is not waited for.
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** Gives back what can be asked for the bytes so far; what is over the limit is dropped, not kept. */
function gather(stream: Readable | null, maxBytes: number, onTooMuch?: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let bytes = 0
  // A stream that was handed to another command as its stdin is not ours to read.
  if (stream?.destroyed === false) {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else onTooMuch?.()
    })
  }
  return () => Buffer.concat(chunks)
}

function watch({ signal, timeoutMs }: CaptureOptions, stop: (why: Stopped) => void): () => void {
  const onAbort = (): void => stop({ type: 'failed', error: signal?.reason })
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop({ type: 'timeout' }), Math.min(timeoutMs, longestTimerMs))
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function feed(child: ChildProcess, input: string | Uint8Array | undefined): void {
  if (input === undefined || child.stdin === null) return
  // A command may end without having read everything (EPIPE). Its exit code says whether that was right.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}

function closeOf(child: ChildProcess, { argv, cwd }: PipedCommand): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(new Error(`cannot start ${argv[0]} in ${cwd ?? process.cwd()}: ${cause.message}`, { cause }))
    })
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
