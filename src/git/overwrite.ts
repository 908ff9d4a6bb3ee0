// A small file changed where it is.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'

const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants
/** More than a path can have. */
const mostBytes = 8192
const writableByOthers = 0o022

/**
 * Gives a small text file other content by one write: whoever reads or kills meanwhile finds the one or the other.
 * What is longer than the content becomes empty lines at its end. To put a new file in its place is what one does
 * otherwise, and ext4 flushes that to the disk at once, a millisecond each time. False if there is no such file, or
 * if it is somebody else's too: a link would lead the write to a place that somebody has chosen.
 */
export function overwrite(path: string, content: string): boolean {
  const file = opened(path, O_RDWR) ?? opened(path, O_RDONLY)
  if (file === undefined) return false
  try {
    const { size, nlink, mode } = fstatSync(file)
    if (nlink !== 1 || size > mostBytes || (mode & writableByOthers) !== 0) return false
    const bytes = Buffer.alloc(Math.max(size, Buffer.byteLength(content)), '\n')
    bytes.write(content)
    return holds(file, bytes) || writeSync(file, bytes, 0, bytes.length, 0) === bytes.length
  } catch {
    return false
  } finally {
    closeSync(file)
  }
}

function opened(path: string, how: number): number | undefined {
  try {
    const file = openSync(path, how | O_NOFOLLOW | O_NONBLOCK)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch {
    // Not there, a link, a folder, or not to be opened so: somebody else has to see to it.
  }
  return undefined
}

function holds(file: number, bytes: Buffer): boolean {
  const found = Buffer.alloc(bytes.length)
  return readSync(file, found, 0, found.length, 0) === found.length && found.equals(bytes)
}
