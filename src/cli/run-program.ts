import { systemClock } from '../platform/clock.ts'
import { askAtTerminal } from './ask-terminal.ts'
import type { Command } from './command.ts'
import { listenForInterrupt } from './interrupt.ts'
import { createOutput } from './output.ts'
import type { Streams } from './output.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'

/** Words in, exit code out. The one place that catches everything: a failure is two lines, a bug is a stack. */
export async function main(words: readonly string[], streams: Streams): Promise<number> {
  let exitCode = 0
  let complaint = ''
  const interrupt = listenForInterrupt(streams)
  const program = createProgram({
    open: (json) => openCommand(streams, { json, interrupt: interrupt.signal }),
    done: (code) => (exitCode = code),
    complain: (text) => (complaint += text),
  })
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, { streams, program, words, complaint })
  } finally {
    interrupt.stop()
  }
}

function openCommand(
  streams: Streams,
  { json, interrupt }: { json: boolean; interrupt: AbortSignal },
): Command {
  const output = createOutput(streams, json)
  const person = !json && process.stdin.isTTY && process.stdout.isTTY
  return {
    input: process.stdin,
    output,
    surroundings: {
      cwd: process.cwd(),
      env: process.env,
      clock: systemClock,
      interrupt,
      onLine: (line) => output.event(line),
      ...(person ? { askPerson: askAtTerminal({ input: process.stdin, output: process.stdout }) } : {}),
    },
  }
}
