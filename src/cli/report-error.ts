import { CommanderError } from 'commander'
import type { Command as Commander } from 'commander'
import { exitCodes, FailureError } from '../model/failure.ts'
import { errorCode } from '../platform/errno.ts'
import { printable } from '../model/outside-text.ts'
import { shellWord } from '../model/shell-word.ts'
import { isFromTheSystem } from './from-the-system.ts'
import { jsonText } from './output.ts'
import type { Streams } from './output.ts'

export interface Typed {
  readonly streams: Streams
  readonly program: Commander
  readonly words: readonly string[]
  /** What commander had to say. */
  readonly complaint: string
}

/** Two lines for people on stderr; with `--json` also the one document on stdout. Gives the exit code. */
export function reportError(error: unknown, typed: Typed): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const failure = failureOf(error, typed)
  const { code, message, next, exitCode } = failure
  if (typed.words.includes('--json'))
    typed.streams.stdout.write(`${jsonText({ error: { code, message, next } })}\n`)
  typed.streams.stderr.write(textFor(error, failure, typed))
  return exitCode
}

function textFor(error: unknown, { code, message, next }: FailureError, { complaint, words }: Typed): string {
  if (error instanceof CommanderError && error.code === 'commander.help')
    return words.length === 0 ? firstWords : complaint
  if (code !== bugCode) return printable(`error: ${message}\nnext: ${next}\n`)
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `${stack}\nThis is a bug in Baton. The run, if there was one, can be resumed: baton runs\n`
}

/** For who types `baton` to see what happens: all of it on one small screen. */
const firstWords = `Usage: baton [options] [command]

Runs coding agents as steps of a workflow, checks what they claim, and gives
back a reviewed branch.

Example:
  baton demo                    see a whole run; no account, no network
  baton init                    set up the repository you are in
  baton doctor                  what is ready, and what mends the rest
  baton run "<your task>"       work on a task, on a branch of its own
  baton runs                    what has become of your runs

All commands: baton --help. One of them: baton run --help
`

const bugCode = 'baton.bug'

function failureOf(error: unknown, typed: Typed): FailureError {
  if (error instanceof FailureError) return error
  if (error instanceof CommanderError) return usageFailure(error, typed)
  const message = error instanceof Error ? error.message : String(error)
  if (isStandingNowhere(error))
    return new FailureError({ ...nowhere, code: 'system.refused', exitCode: exitCodes.failed })
  if (isFromTheSystem(error))
    return new FailureError({ code: 'system.refused', message, next: systemNext, exitCode: exitCodes.failed })
  return new FailureError({ code: bugCode, message, next: 'baton runs', exitCode: exitCodes.failed })
}

/** Of a shell whose folder was removed, by `clean` or by hand. */
function isStandingNowhere(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'uv_cwd'
}

const nowhere = {
  message: 'The folder that you are in does not exist any more.',
  next: 'cd into your repository, then type the command again',
}

const systemNext =
  'Put that right, then type the command again; a run that had begun goes on with: baton resume'

/** Commander puts what was meant on a line of its own: "(Did you mean run?)". */
function usageFailure(error: CommanderError, { program, words }: Typed): FailureError {
  const [what = '', meant = ''] = error.message.replace(/^error: /, '').split('\n')
  return new FailureError({
    code: 'usage.invalid',
    message:
      error.code === 'commander.help' ? 'No command was given.' : `${what}${meant === '' ? '' : ` ${meant}`}`,
    next: nextFor(error, { program, words }),
    cause: error,
  })
}

/** A task or an answer may begin with a dash, and is then taken for a flag: two dashes stand before it. */
function nextFor({ code }: CommanderError, { program, words }: Pick<Typed, 'program' | 'words'>): string {
  const command = commandIn(program, words)
  const text = words.find((word) => /^-([^-].|.*\s)/s.test(word))
  if (code !== 'commander.unknownOption' || text === undefined || words.includes('--'))
    return `${command} --help`
  return `${command} --help   (a text that begins with a dash: ${command} -- ${shellWord(text)})`
}

/** As far as the words name commands: `baton workflow`. */
function commandIn(program: Commander, words: readonly string[]): string {
  const [first = '', ...rest] = words.filter((word) => !word.startsWith('-'))
  const inner = program.commands.find((command) => command.name() === first)
  return inner ? `${program.name()} ${commandIn(inner, rest)}` : program.name()
}
