import { fstatSync, read } from 'node:fs'
import { promisify } from 'node:util'

const chunkBytes = 65_536
const readAt = promisify(read)

/** Reads a file that another process is writing: from the beginning, in order, every byte once. */
export class FileTail {
  readonly #file: number
  readonly #onChunk: (chunk: Buffer) => void
  #position = 0

  /** The file stays its owner's, who must not close it during a `drain`. */
  constructor(file: number, onChunk: (chunk: Buffer) => void) {
    this.#file = file
    this.#onChunk = onChunk
  }

  /**
   * Hands over what has come since the last time, up to the end that the file had when this was called. One
   * at a time. Every chunk is a buffer of its own, so that it may be kept.
   */
  async drain(): Promise<void> {
    const end = sizeOf(this.#file)
    // `> /dev/stdout` in a script empties the file; what follows is written from its beginning again.
    if (end < this.#position) this.#position = 0
    while (this.#position < end) {
      const length = Math.min(chunkBytes, end - this.#position)
      const { bytesRead, buffer } = await readAt(
        this.#file,
        Buffer.allocUnsafe(length),
        0,
        length,
        this.#position,
      )
      if (bytesRead === 0) return
      this.#position += bytesRead
      this.#onChunk(buffer.subarray(0, bytesRead))
    }
  }
}

export function sizeOf(file: number): number {
  return fstatSync(file).size
}
