import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { errorCode } from './errno.ts'

export interface Found {
  /** Relative to the root, one letter per byte (latin1): a name need not be UTF-8. */
  readonly path: string
  readonly entry: Stats
}

/** Everything below a folder, folders before what is in them; no link is followed, and what vanishes is left out. */
export async function* walk(root: string, folder = ''): AsyncGenerator<Found> {
  for (const name of await namesIn(root, folder)) {
    const path = folder === '' ? name : `${folder}/${name}`
    const entry = await lstat(bytesOf(root, path)).catch(unlessGone)
    if (entry === undefined) continue
    yield { path, entry }
    if (entry.isDirectory()) yield* walk(root, path)
  }
}

/** As `du --apparent-size` counts files; zero where there is nothing. */
export async function bytesIn(root: string): Promise<number> {
  let bytes = 0
  for await (const { entry } of walk(root)) if (!entry.isDirectory()) bytes += entry.size
  return bytes
}

async function namesIn(root: string, folder: string): Promise<string[]> {
  const names = await readdir(bytesOf(root, folder), { encoding: 'latin1' }).catch(unlessGone)
  return (names ?? []).toSorted()
}

function bytesOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}

function unlessGone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
  throw error
}
