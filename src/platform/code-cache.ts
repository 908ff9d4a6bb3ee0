/**
 * Runs a program of ours from one file, with what V8 made of it the last time. Compiling is a third of what a start
 * costs, and most of what a short command does at all: functions are compiled when they are first called, and in a
 * command of a second nearly every call is a first one.
 *
 * Node has this built in from 22.1 on; this is the same for 20.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { makeFolders } from './make-folders.ts'

export interface CachedProgram {
  /** A function of `require`, `module`, `exports` and a URL, as the build writes it; pure ASCII. Its name changes with its text. */
  readonly file: string
  /** For `require`, and for what the program takes for its own place. */
  readonly url: string
  /** Where what V8 made of it is kept; nothing is, without one. */
  readonly cacheDir: string | undefined
  /** Each has a cache of its own: what one command never calls, another need not load. */
  readonly name: string
}

export interface Loaded<Exports> {
  readonly exports: Exports
  /** Keeps what V8 has compiled by now, for the next time. Undefined where that is there already, or has no place. */
  readonly keep: (() => void) | undefined
}

export function loadCached<Exports>({ file, url, cacheDir, name }: CachedProgram): Loaded<Exports> {
  // V8 compares no more than the length of a text, so that the folder's name must tell one text from another.
  const folder = cacheDir && join(cacheDir, `${basename(file)}-${cachedDataVersionTag()}`)
  const cachedData = folder === undefined ? undefined : readOwn(join(folder, name))
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(cachedData && { cachedData }),
  })
  const isMissing = !cachedData || script.cachedDataRejected === true
  const module = { exports: {} }
  script.runInThisContext()(createRequire(url), module, module.exports, url)
  return {
    exports: module.exports as Exports,
    keep: folder !== undefined && isMissing ? () => keep(script, { folder, name }) : undefined,
  }
}

/** Code is taken only from a file that nobody but us can have written. */
function readOwn(path: string): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { uid, mode } = fstatSync(file)
    const isOurs = uid === process.getuid?.() && (mode & 0o022) === 0
    return isOurs ? readFileSync(file) : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whole or not at all. A disk that is full or read-only is no reason to fail: the next start compiles again. */
function keep(script: Script, { folder, name }: { readonly folder: string; readonly name: string }): void {
  try {
    if (!isOurPlace(folder)) return
    makeFolders(folder, 0o700)
    writeWhole(join(folder, name), script.createCachedData())
    dropOld(dirname(folder))
  } catch {
    // Nothing but speed is lost.
  }
}

/** Whoever is root for one command leaves nothing in a home that its owner could not remove. */
function isOurPlace(folder: string): boolean {
  const entry = statSync(folder, { throwIfNoEntry: false })
  return entry ? entry.uid === process.getuid?.() : isOurPlace(dirname(folder))
}

function writeWhole(path: string, content: Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    // Code that a power cut has left half written would be run all the same.
    fsyncSync(file)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

const aMonth = 30 * 24 * 60 * 60 * 1000

/** A script as the build names it, and the version of V8. */
const ownFolder = /^program-[0-9a-f]+\.cjs-\d+$/

/** Each version has a folder of its own: those in which nothing new was kept for a month. Nobody else's. */
function dropOld(dir: string): void {
  for (const name of readdirSync(dir).filter((entry) => ownFolder.test(entry))) {
    const folder = join(dir, name)
    if (Date.now() - statSync(folder).mtimeMs > aMonth) rmSync(folder, { recursive: true, force: true })
  }
}
