/**
 * As the shell that starts commands (command-shell.ts), behind walls: it is started once, and every command costs a
 * fork in it and no new room. Nothing that happens in the room can lead us astray: what a command reads and prints goes
 * through files that have no name any more, and of which the room holds descriptors only. It ends with us.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { subshell } from './command-shell.ts'
import type { ShellCommand } from './command-shell.ts'
import { signalGroup } from './process-group.ts'

export interface RoomShellPlan {
  /** How a shell is started in the room: what follows is its standard input. */
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** A folder of ours where there is place for what commands print; nothing is left in it. */
  readonly scratch: string
}

interface InRoom extends ShellCommand {
  readonly input?: string | Uint8Array | undefined
  readonly maxBytes: number
}

export interface RoomAnswer {
  readonly code: number
  readonly stderr: string
  readonly stdout: () => Buffer
  /** Where another command of ours can read the same. */
  readonly stdoutPath: string
}

export interface RoomShell {
  /** What was printed is there until `take` is done. */
  run<T>(command: InRoom, take: (answer: RoomAnswer) => Promise<T> | T): Promise<T>
  close(): void
}

interface Settle {
  readonly resolve: (line: string) => void
  readonly reject: (error: Error) => void
}

export function openRoomShell(plan: RoomShellPlan): RoomShell {
  const files = openFiles(plan.scratch)
  const [program, ...args] = plan.argv
  const child = spawn(program, args, {
    stdio: ['pipe', files.output, files.errors, 'pipe', files.input],
    env: plan.env,
    cwd: '/',
    detached: true,
  })
  const orders = child.stdin as Writable & { unref(): void }
  const answers = child.stdio[3] as Socket
  let settle: Settle | undefined
  let ended: Error | undefined
  let isClosed = false
  const end = (error: Error): void => {
    ended ??= error
    settle?.reject(ended)
  }
  for (const handle of [child, orders, answers]) handle.unref()
  orders.on('error', () => undefined)
  answers.on('data', (bytes: Buffer) => settle?.resolve(bytes.toString()))
  child.once('close', () => {
    if (!ended) end(new Error(complaint(files) || 'the room has ended'))
  })
  child.once('error', end)
  async function exitOf(command: InRoom): Promise<number> {
    // Only while something is awaited do we keep the process alive.
    answers.ref()
    const guard = setInterval(() => {
      if (fstatSync(files.output).size > command.maxBytes) end(tooMuch(command))
      if (ended && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
    }, 250)
    try {
      const line = await new Promise<string>((resolve, reject) => {
        settle = { resolve, reject }
        if (ended) reject(ended)
        else orders.write(`${scriptOf(command)}\n`)
      })
      if (/^\d{1,3}\n$/.test(line)) return Number(line)
      // Somebody else has written it: nothing that the room says from now on can be believed.
      throw (ended = new Error('the room gave an answer that is none'))
    } finally {
      clearInterval(guard)
      settle = undefined
      answers.unref()
    }
  }
  return {
    async run(command, take) {
      if (command.input !== undefined) fill(files.input, command.input)
      const code = await exitOf(command)
      if (fstatSync(files.output).size > command.maxBytes) throw tooMuch(command)
      const result = await take({
        code,
        stderr: contentOf(files.errors).toString(),
        stdout: () => contentOf(files.output),
        stdoutPath: `/proc/${process.pid}/fd/${files.output}`,
      })
      for (const file of [files.output, files.errors]) if (fstatSync(file).size > 0) ftruncateSync(file)
      return result
    },
    close() {
      if (isClosed) return
      isClosed = true
      end(new Error('the room was closed'))
      // Reading its end, the shell goes, and the room with it; who is deaf to that goes at once.
      orders.end()
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
      for (const file of Object.values(files)) closeSync(file)
    },
  }
}

type Files = ReturnType<typeof openFiles>

/** Written from the end on by all who hold them, so that cutting them to nothing is enough. */
function openFiles(scratch: string) {
  return {
    input: nameless(scratch, 'wx+'),
    output: nameless(scratch, 'ax+'),
    errors: nameless(scratch, 'ax+'),
  }
}

function nameless(scratch: string, flags: string): number {
  const path = join(scratch, `.room-${randomBytes(6).toString('hex')}`)
  const file = openSync(path, flags, 0o600)
  unlinkSync(path)
  return file
}

/** The room opens its input anew, from the beginning, through the descriptor that it has. */
function scriptOf(command: InRoom): string {
  const stdin = command.input === undefined ? '/dev/null' : '/proc/self/fd/4'
  return `${subshell(command, '3>&- 4>&-')} <${stdin}; echo $? >&3`
}

function fill(file: number, input: string | Uint8Array): void {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input
  ftruncateSync(file)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at)
}

function contentOf(file: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size)
  let length = 0
  for (let read = 1; read > 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, length)
  return bytes.subarray(0, length)
}

function complaint({ errors }: Files): string {
  return contentOf(errors).toString().trim().split('\n').at(-1) ?? ''
}

function tooMuch({ executable, maxBytes }: InRoom): Error {
  return new Error(`${executable} printed more than ${maxBytes} bytes`)
}
