import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { ReadStream } from 'node:tty'
import { errorCode } from './errno.ts'
import { isInForeground } from './proc.ts'

/** What a terminal does with these keys itself, while nobody has asked it for single keys. */
const signals: Readonly<Record<string, NodeJS.Signals>> = {
  '\u0003': 'SIGINT',
  '\u001C': 'SIGQUIT',
  '\u001A': 'SIGTSTP',
}

export interface Keyboard {
  /** What is typed is neither shown nor kept; the keys that are signals stay signals. */
  hold(): void
  /** The terminal is as it was. */
  release(): void
}

/**
 * While lines move on the screen, the echo of a key would tear them, and an Enter would answer a question that is not asked
 * yet. A terminal that is left by exit or by a signal is put right by Node itself. Only where it can be told that the process
 * is in the foreground: one in the background would be stopped for touching the terminal.
 */
export function createKeyboard(input: ReadStream): Keyboard {
  let isWanted = false
  let isHeld = false
  const take = (): void => {
    if (isHeld || !isInForeground()) return
    isHeld = true
    // Off before on: what the shell did to the terminal meanwhile, Node does not know.
    input.setRawMode(false).setRawMode(true).on('data', onKeys).resume()
  }
  const give = (): void => {
    if (!isHeld) return
    isHeld = false
    input.off('data', onKeys).pause()
    if (isInForeground()) input.setRawMode(false)
  }
  const onKeys = (keys: Buffer): void => {
    for (const key of keys.toString('latin1')) {
      const signal = signals[key]
      if (signal === undefined) continue
      // Stopped or gone, it must leave the terminal as the shell knows it.
      if (signal !== 'SIGINT') give()
      // To all that the terminal would have told.
      process.kill(0, signal)
    }
  }
  // The shell has had the terminal, and gives it back as it likes it, or keeps it.
  const onContinue = (): void => {
    give()
    take()
  }
  return {
    hold() {
      if (!isWanted) process.on('SIGCONT', onContinue)
      isWanted = true
      take()
    },
    release() {
      process.off('SIGCONT', onContinue)
      isWanted = false
      give()
    },
  }
}

/** The same terminal once more: where it has no such name, the one that the process belongs to. */
const names = ['/proc/self/fd/0', '/dev/tty']

/**
 * Throws away what was typed and not read yet. Half a line can be read only while the terminal gives single keys, as it does
 * for whoever edits a line; whole ones always.
 */
export function discardTyped(): void {
  for (const name of names) {
    const file = openedForReading(name)
    if (file === undefined) continue
    const dropped = Buffer.alloc(4096)
    try {
      while (readSync(file, dropped) > 0);
    } catch (error) {
      if (!['EAGAIN', 'EIO'].includes(errorCode(error) ?? '')) throw error
    } finally {
      closeSync(file)
    }
    return
  }
}

function openedForReading(name: string): number | undefined {
  try {
    return openSync(name, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return undefined
  }
}
