import { createHash, randomBytes } from 'node:crypto'
import { closeSync, createReadStream, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode, unlessMissing, withPath } from './errno.ts'
import { makeFolders } from './make-folders.ts'
import { readFile, rename, rm, sync, writeFile } from './quick-files.ts'

/** After a crash, at any moment and of any kind, the file holds either all of the old content or all of the new. */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    await writeSynced(temporary, content, 'wx')
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(dirname(path))
}

/** On the disk when it resolves, though perhaps not its name: that takes a sync of its directory. */
export async function writeSynced(
  path: string,
  content: string | Uint8Array,
  flag: 'w' | 'wx' | 'a',
): Promise<void> {
  const file = openSync(path, flag)
  try {
    writeFileSync(file, content)
    await sync(file)
  } catch (error) {
    throw withPath(error, path)
  } finally {
    closeSync(file)
  }
}

/** A file that is not there yet (`EEXIST`). One that could not be written to its end is no file that anybody wants. */
export async function writeNewFile(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await rm(path, { force: true })
    throw error
  }
}

/** Whole or not at all, but after a power cut perhaps empty: for what can be made again. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = temporaryBeside(path)
  await writeFile(temporary, content, { flag: 'wx' })
  await rename(temporary, path)
}

/** A name that nobody else has, in the same directory, so that it can be renamed or linked into place. */
export function temporaryBeside(path: string): string {
  own ??= randomBytes(6).toString('hex')
  given += 1
  return `${withRoom(path)}.${process.pid}-${own}${given}.tmp`
}

/** Whether such a name for a file or folder at `path` is the other, whoever has drawn it. */
export function isTemporaryBeside(path: string, other: string): boolean {
  const beginning = withRoom(path)
  return other.startsWith(beginning) && /^\.\d+-[0-9a-f]{12}\d+\.tmp$/.test(other.slice(beginning.length))
}

/** A name has 255 bytes at most, and one as long as that leaves none for an ending. */
function withRoom(path: string): string {
  const name = basename(path)
  return Buffer.byteLength(name) <= longestBeside
    ? path
    : join(dirname(path), name.slice(0, longestBeside / 4))
}

const longestBeside = 200

/** Numbers of processes come round, and containers have the same: each of ours draws lots once. */
let own: string | undefined
let given = 0

/** A new name is only safe from a power cut when its directory has been synced. */
export async function syncDirectory(path: string): Promise<void> {
  await syncFile(path)
}

/** What is in it, by whoever it was written. */
export async function syncFile(path: string): Promise<void> {
  const file = openSync(path, 'r')
  try {
    await sync(file)
  } finally {
    closeSync(file)
  }
}

export async function ensureDirectory(path: string): Promise<void> {
  makeFolders(path)
}

/** Folders that were not there before are gone again where filling them fails: the next try finds the place free. */
export async function fillFolder<T>(path: string, fill: () => Promise<T>): Promise<T> {
  const ours = firstMissing(path)
  await ensureDirectory(path)
  try {
    return await fill()
  } catch (error) {
    if (ours !== undefined) await rm(ours, { recursive: true, force: true })
    throw error
  }
}

/** The uppermost folder on the way to it that is not there. */
function firstMissing(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })) return undefined
  return firstMissing(dirname(path)) ?? path
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of contentOf(path)) hash.update(chunk)
  return hash.digest('hex')
}

const smallBytes = 65_536

/** A small file at once, a large one piece by piece. */
export async function* contentOf(path: string): AsyncGenerator<Buffer, void, undefined> {
  if (statSync(path).size <= smallBytes) yield readFileSync(path)
  else yield* createReadStream(path) as AsyncIterable<Buffer>
}

export function sha256Of(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

export async function readTextIfPresent(path: string): Promise<string | undefined> {
  return statSync(path, { throwIfNoEntry: false }) ? unlessMissing(readFile(path, 'utf8')) : undefined
}

/** The last `maxBytes` of a text, less what would be half a character. */
export async function readTail(path: string, maxBytes: number): Promise<string> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const start = Math.max(0, size - maxBytes)
  const bytes = await readRange(file, start, size - start)
  return wholeCharacters(start === 0 ? bytes : bytes.subarray(continuationBytes(bytes)))
}

/** The first `maxBytes` of a text, less what would be half a character. */
export async function readHead(path: string, maxBytes: number): Promise<string> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  return wholeCharacters(await readRange(file, 0, Math.min(size, maxBytes)))
}

/** Fewer bytes than asked for if the file ends before. */
export async function readRange(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** How many bytes at the beginning belong to a character that began earlier. */
function continuationBytes(bytes: Buffer): number {
  let count = 0
  while (count < 3 && isContinuation(bytes[count])) count++
  return count
}

/** The text without a character that was only begun; bytes that are no UTF-8 at all become U+FFFD. */
function wholeCharacters(bytes: Buffer): string {
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--
  const isCut = lead >= 0 && lead + characterLength(bytes[lead]) > bytes.length
  return bytes.toString('utf8', 0, isCut ? lead : bytes.length)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}

function characterLength(lead = 0): number {
  if (lead >= 0b1111_0000) return 4
  if (lead >= 0b1110_0000) return 3
  if (lead >= 0b1100_0000) return 2
  return 1
}
