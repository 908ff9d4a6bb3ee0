/**
 * A small shell that starts commands for us, on this side of the walls or behind them. Node forks its whole self for
 * each: 1 to 5 ms at our size, in which nothing else happens. A shell of one megabyte does it in 0.3, and an engine
 * starts some 20 commands a step; and behind walls a command costs a fork and no new room.
 *
 * The shell reads scripts of ours from a pipe, one at a time, and answers with exit codes on another. What a command
 * reads and prints goes through files of which the shell holds descriptors. It ends with us, since its pipe does.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { basename } from 'node:path'
import type { Writable } from 'node:stream'
import { errorCode } from './errno.ts'
import { signalGroup } from './process-group.ts'
import { contentOf, empty, fill, openFiles, requireRoom, sizeOf } from './shell-files.ts'
import type { ShellFiles } from './shell-files.ts'
import { codesIn, scriptOf } from './shell-script.ts'
import type { ShellPlan } from './shell-script.ts'

export interface ShellStart {
  /** How the shell is started, perhaps in a room: what follows is its standard input. */
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** A folder of ours where there is place for what commands print; nothing is left in it. */
  readonly scratch: string
}

export interface ShellAnswer {
  /** One for each command, as with the complaints. */
  readonly codes: readonly number[]
  readonly stderrs: readonly string[]
  readonly stdout: () => Buffer
  /** Where another command of ours can read the same, on Linux. */
  readonly stdoutPath: string
}

export interface ResidentShell {
  /** What was printed is there until `take` is done. After a failure the shell is of no use any more. */
  run<T>(plan: ShellPlan, take: (answer: ShellAnswer) => Promise<T> | T): Promise<T>
  /** Killed by somebody, perhaps long after its last command: then it is of no use either. */
  hasEnded(): boolean
  close(): void
}

/** Throws where it cannot be started at all. */
export function openShell({ argv, env, scratch }: ShellStart): ResidentShell {
  const files = openFiles(scratch)
  try {
    const [program, ...args] = argv
    const stdio = ['pipe', files.output, files.errors[0], 'pipe', files.input, files.errors[1]] as const
    return shellOf(spawn(program, args, { stdio: [...stdio], env, cwd: '/', detached: true }), files)
  } catch (error) {
    files.close()
    throw error
  }
}

function shellOf(child: ChildProcess, files: ShellFiles): ResidentShell {
  const ask = conversation(child, files)
  let isClosed = false
  return {
    async run(plan, take) {
      const { input } = plan
      if (input !== undefined) held(plan, files, () => fill(files.input, input))
      const codes = await ask.exitCodes(plan)
      const size = sizeOf(files.output)
      if (size > plan.maxBytes) throw tooMuch(plan)
      const stderrs = plan.commands.map((_, index) => taken(files.errors[index === 0 ? 0 : 1]))
      if (codes.some((code, index) => code !== 0 && stderrs[index] === ''))
        held(plan, files, () => requireRoom(files))
      const stdoutPath = `/proc/${process.pid}/fd/${files.output}`
      const result = await take({ codes, stderrs, stdout: () => contentOf(files.output, size), stdoutPath })
      if (size > 0) empty(files.output)
      return result
    },
    hasEnded: () => isClosed || child.exitCode !== null || child.signalCode !== null,
    close() {
      if (isClosed) return
      isClosed = true
      ask.end(new Error('the shell that starts commands was closed'))
      // Who is deaf to the end of its pipe goes all the same.
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
      files.close()
    },
  }
}

/** Says whose words, and which disk, if there is no room for them. */
function held({ commands }: ShellPlan, { scratch }: ShellFiles, write: () => void): void {
  try {
    write()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const who = commands.map(({ executable }) => basename(executable)).join(' and ')
    const error = new Error(`${scratch} cannot hold what ${who} reads and prints: ${why}`, { cause })
    throw Object.assign(error, { code: errorCode(cause) })
  }
}

/** What was complained of, and nothing is left of it. */
function taken(file: number): string {
  const size = sizeOf(file)
  if (size === 0) return ''
  const text = contentOf(file, size).toString()
  empty(file)
  return text
}

/** Of shells that wait for work, one that still can do it. */
export function takeLiving(idle: ResidentShell[]): ResidentShell | undefined {
  for (;;) {
    const shell = idle.pop()
    if (!shell?.hasEnded()) return shell
    shell.close()
  }
}

interface Settle {
  readonly resolve: (text: string) => void
  readonly reject: (error: Error) => void
}

interface Conversation {
  exitCodes(plan: ShellPlan): Promise<readonly number[]>
  end(error: Error): void
}

function conversation(child: ChildProcess, files: ShellFiles): Conversation {
  const orders = child.stdin as Writable & { unref(): void }
  const answers = child.stdio[3] as Socket
  let settle: Settle | undefined
  let ended: Error | undefined
  let underWay: ShellPlan | undefined
  // A command that prints without end must not fill the disk: it goes, and the shell with it. Wound up anew for each
  // command: most are done long before it looks.
  const watch = setTimeout(() => {
    if (!underWay) return
    if (sizeOf(files.output) > underWay.maxBytes) end(tooMuch(underWay))
    if (ended && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
    watch.refresh()
  }, 250).unref()
  function end(error: Error): void {
    ended ??= error
    settle?.reject(ended)
    orders.end()
  }
  for (const handle of [child, orders, answers]) handle.unref()
  // A shell that has gone is heard of by its end.
  orders.on('error', () => undefined)
  answers.on('data', (bytes: Buffer) => settle?.resolve(bytes.toString()))
  child.once('close', () => {
    if (!ended)
      end(new Error(lastLine(contentOf(files.errors[0])) || 'the shell that starts commands has ended'))
  })
  child.once('error', end)

  async function answerTo(plan: ShellPlan): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      let heard = ''
      function hear(text: string): void {
        const codes = codesIn((heard += text), plan)
        // Somebody else has written it: nothing that a room says from now on can be believed.
        if (codes === 'no answer') end(new Error('the room gave an answer that is none'))
        else if (codes) resolve(codes)
      }
      settle = { resolve: hear, reject }
      if (ended) reject(ended)
      else orders.write(`${scriptOf(plan, files.inputPath)}\n`)
    })
  }
  return {
    end,
    async exitCodes(plan) {
      // Only while something is awaited do we keep the process alive.
      answers.ref()
      underWay = plan
      watch.refresh()
      try {
        return await answerTo(plan)
      } finally {
        underWay = undefined
        settle = undefined
        answers.unref()
      }
    },
  }
}

function lastLine(bytes: Buffer): string {
  return bytes.toString().trim().split('\n').at(-1) ?? ''
}

function tooMuch({ commands, maxBytes }: ShellPlan): Error {
  return new Error(`${commands.at(-1)?.executable} printed more than ${maxBytes} bytes`)
}
