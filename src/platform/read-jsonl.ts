import { open, type FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { unlessMissing } from './errno.ts'

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
