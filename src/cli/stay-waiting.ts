import type { Surroundings } from './workbench.ts'

/** `--stay`: a question does not end the process; it stays until somebody answers from another one. */
export function stayWaiting(surroundings: Surroundings, isWanted: boolean | undefined): Surroundings {
  if (isWanted !== true || surroundings.askPerson) return surroundings
  return { ...surroundings, staysWaiting: true, askPerson: (_, signal) => untilOver(signal) }
}

/** A pending promise alone keeps no process alive. */
function untilOver(signal: AbortSignal): Promise<undefined> {
  return new Promise((_, reject) => {
    const timer = setInterval(() => undefined, 60_000)
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(timer)
        reject(signal.reason as Error)
      },
      { once: true },
    )
  })
}
