// What the commands of a resident shell read and print. Without names where that is possible: nobody can put another
// file in their place, and nothing is left of them when we are killed.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { descriptors } from './shell-script.ts'

export interface ShellFiles {
  readonly scratch: string
  readonly input: number
  /** Where the shell can open it anew, from its beginning. */
  readonly inputPath: string
  readonly output: number
  readonly errors: readonly [number, number]
  close(): void
}

export function openFiles(scratch: string): ShellFiles {
  // Written from the end on by all who hold them, so that cutting them to nothing is enough.
  const [output, first, second] = [nameless(scratch), nameless(scratch), nameless(scratch)]
  const { input, inputPath } = openInput(scratch)
  return {
    ...{ scratch, input, inputPath, output, errors: [first, second] },
    close() {
      for (const file of [input, output, first, second]) closeSync(file)
      if (!isLinux) rmSync(inputPath, { force: true })
    },
  }
}

const isLinux = process.platform === 'linux'

/** Only Linux opens a file by its descriptor as if by its name; elsewhere it has one. */
function openInput(scratch: string): Pick<ShellFiles, 'input' | 'inputPath'> {
  const path = nameIn(scratch)
  const input = openSync(path, 'wx+', 0o600)
  if (!isLinux) return { input, inputPath: path }
  unlinkSync(path)
  return { input, inputPath: `/proc/self/fd/${descriptors.input}` }
}

function nameless(scratch: string): number {
  const path = nameIn(scratch)
  const file = openSync(path, 'ax+', 0o600)
  unlinkSync(path)
  return file
}

function nameIn(scratch: string): string {
  return join(scratch, `.baton-${randomBytes(6).toString('hex')}`)
}

export function fill(file: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, at)
  // Afterwards: a file that was cut to nothing is flushed to disk by ext4 when its reader closes it, at once.
  ftruncateSync(file, bytes.length)
}

/** Somewhere else the command would have said it; here the complaint would have gone to the same full disk. */
export function requireRoom({ errors: [file] }: ShellFiles): void {
  try {
    // A file system may find room for a few bytes beside the file's name.
    fill(file, Buffer.alloc(4096))
  } finally {
    empty(file)
  }
}

export function empty(file: number): void {
  ftruncateSync(file)
}

export function sizeOf(file: number): number {
  return fstatSync(file).size
}

export function contentOf(file: number, size = sizeOf(file)): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  for (let read = 1; read > 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, length)
  return bytes.subarray(0, length)
}
