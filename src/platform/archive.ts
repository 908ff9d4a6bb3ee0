import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { captureCommand } from './capture.ts'
import { ensureDirectory, syncDirectory, temporaryBeside } from './files.ts'

export interface Packing {
  /** Absolute. */
  readonly root: string
  /** Relative to the root, one letter per byte (latin1): a name need not be UTF-8. Folders without what is in them. */
  readonly names: readonly string[]
  /** Absolute; whole or not at all. */
  readonly file: string
}

/** With tar(1), GNU's or BSD's: modes, links and odd names survive. Gives the complaint if something could not be read. */
export async function packFiles({ root, names, file }: Packing): Promise<string | undefined> {
  await ensureDirectory(dirname(file))
  const temporary = temporaryBeside(file)
  // With ./ before them, since tar would take a name that begins with a dash for a flag.
  const input = Buffer.from(names.map((name) => `./${name}\0`).join(''), 'latin1')
  const argv = ['tar', '-c', '-f', temporary, '-C', root, '--no-recursion', '--null', '-T', '-'] as const
  const { code, stderr } = await captureCommand(argv, { env: environment(), input })
  if (code !== 0) {
    await rm(temporary, { force: true })
    return stderr.trim().split('\n')[0] || `tar ended with exit code ${code}`
  }
  await using written = await open(temporary, 'r')
  await written.sync()
  await rename(temporary, file)
  await syncDirectory(dirname(file))
  return undefined
}

/** Over what is there already. */
export async function unpackFiles(file: string, into: string): Promise<string | undefined> {
  const { code, stderr } = await captureCommand(['tar', '-x', '-p', '-f', file, '-C', into], {
    env: environment(),
  })
  return code === 0 ? undefined : stderr.trim().split('\n')[0] || `tar ended with exit code ${code}`
}

function environment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }
}
