import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

export interface FileEnds {
  /** Whole lines at the beginning, without their line ends. */
  readonly head: string[]
  /** Whole lines at the end; what a writer has only begun is left out. */
  readonly tail: string[]
  /** The two meet: nothing between them was left out. */
  readonly isWhole: boolean
}

/**
 * The lines in the first and the last `bytes` of a file. Synchronous: a thousand small reads one after another
 * take a tenth of the time that way.
 */
export function readEnds(path: string, bytes: number): FileEnds {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const head = textOf(file, 0, Math.min(bytes, size))
    if (size <= bytes) return { head: wholeLines(head), tail: [], isWhole: true }
    const tail = textOf(file, size - bytes, bytes)
    // Where the cut happens to be between two lines, one whole line is left out: no harm.
    return { head: wholeLines(head), tail: wholeLines(tail).slice(1), isWhole: size <= 2 * bytes }
  } finally {
    closeSync(file)
  }
}

/** A character that was cut in two is in a line that was cut in two. */
function textOf(file: number, start: number, length: number): string {
  const buffer = Buffer.allocUnsafe(length)
  return buffer.toString('utf8', 0, readSync(file, buffer, 0, length, start))
}

function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1)
}
