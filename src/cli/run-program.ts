import { systemClock } from '../platform/clock.ts'
import { askAtTerminal, askYesNo } from './ask-terminal.ts'
import type { Command } from './command.ts'
import { listenForInterrupt } from './interrupt.ts'
import { createLiveTerminal } from './live-terminal.ts'
import type { LiveTerminal } from './live-terminal.ts'
import { createOutput } from './output.ts'
import type { Streams } from './output.ts'
import { createProgram } from './program.ts'
import type { Callbacks, GlobalFlags } from './program.ts'
import type { Verb } from '../config/find-verbs.ts'
import { reportError } from './report-error.ts'

/** Words in, exit code out. The one place that catches everything: a failure is two lines, a bug is a stack. */
export async function main(words: readonly string[], streams: Streams): Promise<number> {
  let exitCode = 0
  let complaint = ''
  const interrupt = listenForInterrupt(streams)
  const callbacks: Callbacks = {
    open: (flags) => openCommand(streams, flags, interrupt.signal),
    done: (code) => (exitCode = code),
    complain: (text) => (complaint += text),
  }
  let program = createProgram(callbacks)
  try {
    if (needsVerbs(program, words)) program = createProgram({ ...callbacks, verbs: await verbsHere() })
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, { streams, program, words, complaint })
  } finally {
    interrupt.stop()
  }
}

/** Workflows are read only for a word that is no command of our own, and for the list of all. */
function needsVerbs(program: ReturnType<typeof createProgram>, words: readonly string[]): boolean {
  const first = words.find((word) => !word.startsWith('-'))
  return (
    first === undefined || first === 'help' || !program.commands.some((command) => command.name() === first)
  )
}

async function verbsHere(): Promise<readonly Verb[]> {
  const { findVerbs } = await import('../config/find-verbs.ts')
  const { openLayers } = await import('./project.ts')
  return findVerbs(await openLayers(process.cwd(), process.env))
}

function openCommand(
  streams: Streams,
  { json, plain, verbose }: GlobalFlags,
  interrupt: AbortSignal,
): Command {
  const person = !json && process.stdin.isTTY && process.stdout.isTTY
  const terminal = { input: process.stdin, output: process.stdout }
  const live = person && mayMove(plain, process.env) ? liveTerminal() : undefined
  const output = createOutput(streams, { json, verbose, live })
  return {
    input: process.stdin,
    output,
    surroundings: {
      cwd: process.cwd(),
      env: process.env,
      clock: systemClock,
      interrupt,
      onLine: (line) => output.event(line),
      onActivity: (heard) => output.activity(heard),
      ...(process.stderr.isTTY ? { ring: () => void process.stderr.write('\u0007') } : {}),
      ...(person ? { askPerson: askAtTerminal(terminal), askYesNo: askYesNo(terminal) } : {}),
    },
  }
}

/** Not where nobody looks, and not where a screen reader would read every turn of the spinner. */
function mayMove(plain: boolean, env: NodeJS.ProcessEnv): boolean {
  return !plain && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === ''
}

function liveTerminal(): LiveTerminal {
  return createLiveTerminal({
    write: (text) => void process.stdout.write(text),
    columns: () => process.stdout.columns,
    now: () => Date.now(),
    color: (process.env['NO_COLOR'] ?? '') === '',
  })
}
