import { exitCodes, FailureError } from '../model/failure.ts'
import { systemClock } from '../platform/clock.ts'
import { askAtTerminal } from './ask-terminal.ts'
import { createOutput } from './output.ts'
import type { Streams } from './output.ts'
import { CommanderError, createProgram } from './program.ts'
import type { Command } from './command.ts'

/** Words in, exit code out. The one place that catches everything: a failure is two lines, a bug is a stack. */
export async function main(words: readonly string[], streams: Streams): Promise<number> {
  let exitCode = 0
  const interrupt = listenForInterrupt(streams)
  const program = createProgram(
    (json) => openCommand(streams, { json, interrupt: interrupt.signal }),
    (code) => (exitCode = code),
  )
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(error, streams)
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

/** Once stops at a point from which the run can go on; twice stops at once. */
function listenForInterrupt({ stderr }: Streams): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    stderr.write('\nStopping; once more to stop at once.\n')
    controller.abort()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    stop: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  }
}

function report(error: unknown, { stderr }: Streams): number {
  if (error instanceof FailureError) {
    stderr.write(`error: ${error.message}\nnext: ${error.next}\n`)
    return error.exitCode
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    const [what = ''] = error.message.replace(/^error: /, '').split('\n', 1)
    stderr.write(`error: ${what === '(outputHelp)' ? 'no command was given' : what}\nnext: baton --help\n`)
    return exitCodes.usage
  }
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  stderr.write('This is a bug in Baton. The run, if there was one, can be resumed: baton runs\n')
  return exitCodes.failed
}
