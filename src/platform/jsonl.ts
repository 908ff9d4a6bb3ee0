import { open, type FileHandle } from 'node:fs/promises'
import { constants, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readRange, syncDirectory } from './files.ts'
import { unlessMissing } from './errno.ts'

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

export interface JsonlLine {
  readonly value: unknown
  /** The first is 1. */
  readonly line: number
}

export class BrokenLineError extends Error {
  readonly path: string
  readonly line: number

  constructor(place: { readonly path: string; readonly line: number }, cause: unknown) {
    super(`line ${place.line} of ${place.path} is not JSON`, { cause })
    this.name = 'BrokenLineError'
    this.path = place.path
    this.line = place.line
  }
}

const newline = 0x0a
const chunkBytes = 65_536

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

/** Everything that is there, with flat memory. A last line without its end is left out. */
export async function* readJsonl(path: string): AsyncGenerator<JsonlLine, void, undefined> {
  for await (const batch of readJsonlBatches(path)) yield* linesOf(batch)
}

/** Lines that follow one another. */
export interface JsonlBatch {
  readonly values: unknown[]
  /** The number of the first. */
  readonly line: number
}

function* linesOf({ values, line }: JsonlBatch): Generator<JsonlLine, void, undefined> {
  for (const [index, value] of values.entries()) yield { value, line: line + index }
}

/** The same, a handful of lines at a time: to wait for each line of a long file takes longer than to read it. */
export async function* readJsonlBatches(path: string): AsyncGenerator<JsonlBatch, void, undefined> {
  await using file = await open(path, 'r')
  yield* readLines(file, { path, offset: 0, line: 1 })
}

export interface FollowOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal
  readonly pollMs?: number
}

/** What is there, then what comes, whole lines only. A file that does not exist yet is waited for. */
export async function* followJsonl(
  path: string,
  { signal, pollMs = 100 }: FollowOptions = {},
): AsyncGenerator<JsonlLine, void, undefined> {
  let file: FileHandle | undefined
  let place: Place = { path, offset: 0, line: 1 }
  try {
    for (;;) {
      if (signal?.aborted === true) return
      file ??= await unlessMissing(open(path, 'r'))
      if (file !== undefined) place = yield* oneByOne(readLines(file, place))
      await pause(pollMs, signal)
    }
  } finally {
    await file?.close()
  }
}

async function* oneByOne<R>(
  batches: AsyncGenerator<JsonlBatch, R, undefined>,
): AsyncGenerator<JsonlLine, R, undefined> {
  for (;;) {
    const next = await batches.next()
    if (next.done === true) return next.value
    yield* linesOf(next.value)
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  } catch {
    // Aborted: the caller looks at the signal.
  }
}

/** Always the beginning of a line: half a line may be cut off by its writer, and is read again from its start. */
interface Place {
  readonly path: string
  readonly offset: number
  readonly line: number
}

async function* readLines(file: FileHandle, start: Place): AsyncGenerator<JsonlBatch, Place, undefined> {
  let buffer = Buffer.allocUnsafe(chunkBytes)
  let { offset, line } = start
  let position = offset
  let pieces: Buffer[] = []
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return { path: start.path, offset, line }
    const end = buffer.subarray(0, bytesRead).lastIndexOf(newline)
    if (end >= 0) {
      const texts = Buffer.concat([...pieces, buffer.subarray(0, end)])
        .toString()
        .split('\n')
      yield* parseLines(texts, { path: start.path, line })
      line += texts.length
      offset = position + end + 1
      pieces = []
    }
    if (end + 1 < bytesRead) pieces.push(Buffer.from(buffer.subarray(end + 1, bytesRead)))
    position += bytesRead
    // Most files end within the first piece; a long one is read in larger ones.
    if (bytesRead === chunkBytes) buffer = Buffer.allocUnsafe(8 * chunkBytes)
  }
}

/** One batch; where a line is broken, first all before it. */
function* parseLines(texts: readonly string[], { path, line }: Omit<Place, 'offset'>): Generator<JsonlBatch> {
  const values: unknown[] = []
  try {
    // Not `for`: over thousands of lines that takes a noticeable part of the time that parsing them does.
    texts.forEach((text) => values.push(JSON.parse(text)))
  } catch (error) {
    if (values.length > 0) yield { values, line }
    throw new BrokenLineError({ path, line: line + values.length }, error)
  }
  if (values.length > 0) yield { values, line }
}

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
