/**
 * A small shell that starts commands for us. Node forks its whole self for each: 1 to 5 ms at our size, in which
 * nothing else happens. A shell of one megabyte does it in 0.3, and an engine starts some 20 commands a step.
 *
 * The shell reads scripts of ours from a pipe, one command at a time, and answers with the exit code on another.
 * What the command reads and prints goes through files of a private folder. It ends with us, since its pipe does,
 * and takes the folder away: nobody else is left to do so when we are killed.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { signalGroup } from './process-group.ts'

export interface ShellCommand {
  readonly executable: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface ShellPlan {
  /** One command, or two that are joined by a pipe. */
  readonly commands: readonly [ShellCommand] | readonly [ShellCommand, ShellCommand]
  readonly input?: string | Uint8Array | undefined
  readonly maxBytes: number
}

export interface ShellAnswer {
  readonly codes: readonly number[]
  readonly stdout: Buffer
  readonly stderrs: readonly string[]
}

/** Names that a shell takes as variables, in a folder that exists: everything else is started the long way. */
export function suitsShell({ env, cwd }: Pick<ShellCommand, 'env' | 'cwd'>): boolean {
  const isPlain = Object.entries(env).every(
    ([name, value]) => /^[A-Za-z_]\w*$/.test(name) && !value.includes('\0'),
  )
  return isPlain && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Undefined where no shell can be had: then the command is started the long way. */
export async function runInShell(plan: ShellPlan): Promise<ShellAnswer | undefined> {
  const shell = idle.pop() ?? openShell()
  if (!shell) return undefined
  try {
    const answer = await shell.run(plan)
    idle.push(shell)
    return answer
  } catch (error) {
    shell.close()
    throw error
  }
}

interface Shell {
  run(plan: ShellPlan): Promise<ShellAnswer>
  close(): void
}

/** Shells that wait for work. Ambient, for it is only a faster way of what `spawn` does: nobody can tell the two apart. */
const idle: Shell[] = []

function openShell(): Shell | undefined {
  const child = startShell()
  return child && shellOf(child)
}

function startShell(): ChildProcess | undefined {
  try {
    return spawn('/bin/sh', [], {
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      env: {},
      cwd: '/',
      detached: true,
    })
  } catch {
    // The long way will say what is wrong, if anything is.
    return undefined
  }
}

function shellOf(child: ChildProcess): Shell {
  const dir = mkdtempSync(join(tmpdir(), 'baton-shell-'))
  const orders = child.stdin as Writable & { unref(): void }
  const answers = child.stdio[3] as Socket
  let settle: Settle | undefined
  child.unref()
  orders.unref()
  answers.unref()
  // A shell that has gone is heard of by its end.
  orders.on('error', () => undefined)
  orders.write(`trap ${quoted(`command -p rm -rf ${quoted(dir)}`)} EXIT\n`)
  removeAtExit(dir)
  answers.on('data', (bytes: Buffer) => settle?.resolve(bytes.toString()))
  child.once('close', () => settle?.reject(new Error('the shell that starts commands has ended')))
  child.once('error', (error) => settle?.reject(error))
  return {
    async run(plan) {
      const files = filesIn(dir)
      if (plan.input !== undefined) writeFileSync(files.input, plan.input)
      // Only while something is awaited do we keep the process alive.
      answers.ref()
      const guard = setInterval(() => {
        if (!isFlood(files, plan)) return
        settle?.reject(tooMuch(plan))
        if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
      }, 250)
      try {
        const line = await new Promise<string>((resolve, reject) => {
          settle = { resolve, reject }
          orders.write(`${scriptOf(plan, files)}\n`)
        })
        const answer = readAnswer(line, plan, files)
        clearAway(plan, files)
        return answer
      } finally {
        clearInterval(guard)
        settle = undefined
        answers.unref()
      }
    },
    close() {
      orders.end()
      folders.delete(dir)
      remove(dir)
    },
  }
}

/** Of the shells that live. One listener for all: many commands side by side have a shell each. */
const folders = new Set<string>()
let isListening = false

function removeAtExit(dir: string): void {
  folders.add(dir)
  if (!isListening) process.once('exit', () => folders.forEach(remove))
  isListening = true
}

function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true })
}

interface Settle {
  readonly resolve: (line: string) => void
  readonly reject: (error: Error) => void
}

/** A command that prints without end must not fill the disk: it goes, and the shell with it. */
function isFlood({ output }: Files, { maxBytes }: ShellPlan): boolean {
  return sizeOf(output) > maxBytes
}

function tooMuch({ commands, maxBytes }: ShellPlan): Error {
  return new Error(`${commands.at(-1)?.executable} printed more than ${maxBytes} bytes`)
}

type Files = ReturnType<typeof filesIn>

function filesIn(dir: string) {
  const at = (name: string): string => join(dir, name)
  return { input: at('in'), output: at('out'), errors: [at('err'), at('err2')] as const, code: at('code') }
}

/** Pure. The last command in a subshell replaces it, so that each costs one fork. */
function scriptOf({ commands: [first, second], input }: ShellPlan, files: Files): string {
  const stdin = input === undefined ? '/dev/null' : quoted(files.input)
  const [errors, moreErrors] = files.errors.map(quoted)
  const output = quoted(files.output)
  if (!second) return `${subshell(first)} <${stdin} >${output} 2>${errors}; echo $? >&3`
  const writer = `{ ${subshell(first)} <${stdin} 2>${errors}; echo $? >${quoted(files.code)}; }`
  return `${writer} | ${subshell(second)} >${output} 2>${moreErrors}; echo $? >&3`
}

/** The shell's own variables are taken away again: the environment is what was asked for and nothing else. */
export function subshell({ executable, args, cwd, env }: ShellCommand, closing = '3>&-'): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const command = [...variables, quoted(executable), ...args.map(quoted)].join(' ')
  return `( cd ${quoted(cwd)} && unset PWD OLDPWD _ SHLVL; ${command} ${closing} )`
}

function quoted(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Not used again: a file that is cut to nothing and written anew is flushed to disk by ext4, at once. Where the shell
 * has failed, its whole folder goes.
 */
function clearAway({ commands, input }: ShellPlan, files: Files): void {
  if (input !== undefined) unlinkSync(files.input)
  unlinkSync(files.output)
  unlinkSync(files.errors[0])
  if (commands.length === 1) return
  unlinkSync(files.errors[1])
  unlinkSync(files.code)
}

function readAnswer(line: string, plan: ShellPlan, files: Files): ShellAnswer {
  const { commands, maxBytes } = plan
  const size = sizeOf(files.output)
  if (size > maxBytes) throw tooMuch(plan)
  const last = Number(line)
  const codes = commands.length === 1 ? [last] : [Number(readFileSync(files.code, 'utf8')), last]
  const stderrs = commands.map((_, index) => textOf(files.errors[index] ?? ''))
  return { codes, stdout: size === 0 ? Buffer.alloc(0) : readFileSync(files.output), stderrs }
}

/** Most commands have nothing to complain of, and a look is cheaper than reading nothing. */
function textOf(file: string): string {
  return sizeOf(file) === 0 ? '' : readFileSync(file, 'utf8')
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
