import { systemClock } from '../platform/clock.ts'
import { createKeyboard, discardTyped } from '../platform/keyboard.ts'
import { askAtTerminal, askYesNo } from './ask-terminal.ts'
import type { Command } from './command.ts'
import { helpWords } from './help-words.ts'
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
  let live: LiveTerminal | undefined
  const interrupt = listenForInterrupt((text) => {
    // A terminal has echoed the key on the line where the cursor is.
    if (live) live.print(text)
    else streams.stderr.write(`\n${text}\n`)
  })
  const callbacks: Callbacks = {
    open: (flags) => openCommand(streams, { ...flags, live: (live = liveFor(flags)) }, interrupt.signal),
    done: (code) => (exitCode = code),
    complain: (text) => (complaint += text),
  }
  let program = createProgram(callbacks)
  let meant = words
  try {
    if (needsVerbs(program, words)) program = createProgram({ ...callbacks, verbs: await verbsHere() })
    meant = helpWords(program, words)
    await program.parseAsync(meant, { from: 'user' })
    return exitCode
  } catch (error) {
    live?.stop()
    return reportError(error, { streams, program, words: meant, complaint })
  } finally {
    live?.stop()
    interrupt.stop()
  }
}

/** Workflows are read only for a word that is no command of our own, and for the lists of all. */
function needsVerbs(program: ReturnType<typeof createProgram>, words: readonly string[]): boolean {
  const first = words.find((word) => !word.startsWith('-'))
  if (first === undefined || ['help', 'complete'].includes(first)) return true
  return !program.commands.some((command) => command.name() === first)
}

async function verbsHere(): Promise<readonly Verb[]> {
  const { findVerbs } = await import('../config/find-verbs.ts')
  const { openLayers } = await import('./project.ts')
  return findVerbs(await openLayers(process.cwd(), process.env))
}

function openCommand(
  streams: Streams,
  { json, verbose, live }: GlobalFlags & { readonly live: LiveTerminal | undefined },
  interrupt: AbortSignal,
): Command {
  const person = isPersonHere(json)
  const terminal = { input: process.stdin, output: process.stdout, discardTyped }
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
      ...(live ? { onRecorded: (line) => live.past(line), onLimits: (limits) => live.limits(limits) } : {}),
      ...(process.stderr.isTTY ? { ring: () => void process.stderr.write('\u0007') } : {}),
      ...(person ? { askPerson: askAtTerminal(terminal), askYesNo: askYesNo(terminal) } : {}),
    },
  }
}

function isPersonHere(json: boolean): boolean {
  return !json && process.stdin.isTTY && process.stdout.isTTY
}

function liveFor({ json, plain }: GlobalFlags): LiveTerminal | undefined {
  return isPersonHere(json) && mayMove(plain, process.env) ? liveTerminal() : undefined
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
    keyboard: createKeyboard(process.stdin),
  })
}
