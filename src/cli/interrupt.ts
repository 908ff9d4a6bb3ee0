import { exitCodes } from '../model/failure.ts'
import { killLiving } from '../platform/process.ts'
import { hearOfLoss } from './lost-output.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Once stops at a point from which the run can go on; twice stops at once. A terminal that was closed and a
 * reader that went away (`| head`) count as well, and a full disk where the output goes: agents have sessions of
 * their own and would work on unseen.
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
  hearOfLoss([process.stdout, process.stderr], () => controller.abort())
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of signals) process.off(name, onSignal)
    },
  }
}
