/**
 * What `node:fs/promises` offers, done at once. A trip through Node's thread pool costs 0.1 to 0.5 ms on two cores and
 * the work itself, on a small file or a name, a fraction of that; a step makes some hundred of them, one after the
 * other, while nothing else waits. For what can be large or slow (a long file, a sync) the pool is the right place.
 */
import fs from 'node:fs'
import { promisify } from 'node:util'
import { withPath } from './errno.ts'

/** Undefined if there is nothing: an error with its stack takes longer to make than the question to answer. */
export async function lstatIfThere(path: string): Promise<fs.Stats | undefined> {
  return fs.lstatSync(path, { throwIfNoEntry: false })
}

export async function stat(path: string): Promise<fs.Stats> {
  return fs.statSync(path)
}

export async function mkdir(path: string): Promise<void> {
  fs.mkdirSync(path)
}

export async function readdir(path: string): Promise<string[]> {
  return fs.readdirSync(path)
}

export async function readFile(path: string, encoding: 'utf8'): Promise<string> {
  return fs.readFileSync(path, encoding)
}

export async function realpath(path: string): Promise<string> {
  return fs.realpathSync.native(path)
}

export async function rename(from: string, to: string): Promise<void> {
  fs.renameSync(from, to)
}

export async function rm(path: string, options: fs.RmOptions): Promise<void> {
  // Most of what is to be gone never was.
  if (options.force === true && !fs.lstatSync(path, { throwIfNoEntry: false })) return
  fs.rmSync(path, options)
}

export async function rmdir(path: string): Promise<void> {
  fs.rmdirSync(path)
}

export async function copyFile(from: string, to: string, mode?: number): Promise<void> {
  fs.copyFileSync(from, to, mode)
}

export async function utimes(path: string, accessed: number, modified: number): Promise<void> {
  fs.utimesSync(path, accessed, modified)
}

export async function writeFile(
  path: string,
  content: string | Uint8Array,
  options?: { readonly flag?: 'wx'; readonly mode?: number },
): Promise<void> {
  try {
    fs.writeFileSync(path, content, options)
  } catch (error) {
    throw withPath(error, path)
  }
}

/** Of an open file; through the pool, since a disk may take its time. */
export const sync = promisify(fs.fsync)
