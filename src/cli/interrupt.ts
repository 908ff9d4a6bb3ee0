import { exitCodes } from '../model/failure.ts'
import { errorCode } from '../platform/errno.ts'
import { killLiving } from '../platform/process.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Once stops at a point from which the run can go on; twice stops at once. A terminal that was closed and a
 * reader that went away (`| head`) count as well: agents have sessions of their own and would work on unseen.
 */
export function listenForInterrupt(say: (text: string) => void): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      killLiving()
      process.exit(exitCodes.interrupted)
    }
    say('Stopping; once more to stop at once.')
    controller.abort()
  }
  for (const name of signals) process.on(name, onSignal)
  // These stay: what is still printed after the end would otherwise be an error that nobody catches.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) throw error
      controller.abort()
    })
  }
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of signals) process.off(name, onSignal)
    },
  }
}
