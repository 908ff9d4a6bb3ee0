import { open, type FileHandle } from 'node:fs/promises'
import { constants, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readRange, syncDirectory } from './files.ts'

export interface JsonlWriter {
  /** One line, on the disk before this resolves. Lines are in the order of the calls, awaited or not. */
  append(value: unknown): Promise<void>
  /** Written but not synced: a power cut may take it. The next `append` syncs it too. */
  appendLazily(value: unknown): Promise<void>
  /** Waits for what has been appended. */
  close(): Promise<void>
  /** The length of the file after the last line that was written. */
  readonly bytes: number
}

/** The caller must be the only writer. What a crash has left of a last line is cut off. */
export async function openJsonl(path: string): Promise<JsonlWriter> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
  try {
    const { size } = await file.stat()
    const whole = await endOfLastLine(file, size)
    if (whole < size) {
      await file.truncate(whole)
      await file.datasync()
    }
    // With a line in it, the file's name was synced before that line was.
    if (whole === 0) await syncDirectory(dirname(path))
    return new Appender(file, whole)
  } catch (error) {
    await file.close()
    throw error
  }
}

const newline = 0x0a
const chunkBytes = 65_536

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; end -= chunkBytes) {
    const start = Math.max(0, end - chunkBytes)
    const found = (await readRange(file, start, end - start)).lastIndexOf(newline)
    if (found >= 0) return start + found + 1
  }
  return 0
}

interface Waiting {
  readonly text: string
  readonly mustSync: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Lines that come while one is being synced share the next write and the next sync. */
class Appender implements JsonlWriter {
  readonly #file: FileHandle
  #bytes: number
  #waiting: Waiting[] = []
  #flushing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(file: FileHandle, bytes: number) {
    this.#file = file
    this.#bytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  append(value: unknown): Promise<void> {
    return this.#add(value, true)
  }

  appendLazily(value: unknown): Promise<void> {
    return this.#add(value, false)
  }

  async close(): Promise<void> {
    await this.#flushing
    await this.#file.close()
  }

  async #add(value: unknown, mustSync: boolean): Promise<void> {
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) throw new TypeError(`${typeof value} cannot be written as JSON`)
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ text: `${json}\n`, mustSync, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#write(batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#flushing = undefined
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    // After half a line nothing may follow it, and what a failed sync has lost nobody can tell.
    if (this.#failure !== undefined) throw this.#failure.error
    try {
      const bytes = Buffer.from(batch.map(({ text }) => text).join(''))
      writeFileSync(this.#file.fd, bytes)
      if (batch.some(({ mustSync }) => mustSync)) await this.#file.datasync()
      this.#bytes += bytes.length
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }
}
