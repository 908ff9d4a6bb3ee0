import { exitCodes } from '../model/failure.ts'

/** What gives an error of its own when it cannot be written: stdout, stderr. */
interface Written {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
}

/**
 * A reader that went away (`| head`) and a terminal that was closed have heard enough. Whatever else cannot be
 * written, to a file on a full disk say, is told once, to who can still hear it, and the exit code is not that of
 * success.
 */
export function hearOfLoss(streams: readonly Written[], onLoss: () => void = () => {}): void {
  let isTold = false
  for (const stream of streams) {
    stream.on('error', ({ code, message }) => {
      onLoss()
      if (code === 'EPIPE' || code === 'EIO' || isTold) return
      isTold = true
      process.stderr.write(`error: Not everything could be printed: ${message}\nnext: ${next}\n`)
      // What comes last may be lost when the exit code is known already. Nobody has interrupted what stops for this.
      process.once('exit', () => {
        const ended = process.exitCode ?? exitCodes.delivered
        if (ended === exitCodes.delivered || ended === exitCodes.interrupted)
          process.exitCode = exitCodes.failed
      })
    })
  }
}

const next =
  'Make room where the output goes, then type the command again; a run that had begun goes on with: baton resume'
