import { join, resolve } from 'node:path'
import { readTextIfPresent } from '../platform/files.ts'
import type { Repository } from './repository.ts'

/** Where the repository's objects lie: its own folder and those that it borrows from, as a shared clone does. */
export async function objectStores({ objectsDir }: Pick<Repository, 'objectsDir'>): Promise<string[]> {
  const found = new Set([objectsDir])
  // A set goes on over what is added meanwhile.
  for (const store of found) {
    const text = (await readTextIfPresent(join(store, 'info', 'alternates'))) ?? ''
    for (const line of text.split('\n')) {
      if (line !== '' && !line.startsWith('#')) found.add(resolve(store, unquoted(line)))
    }
  }
  return [...found]
}

function unquoted(line: string): string {
  if (!line.startsWith('"')) return line
  try {
    return JSON.parse(line) as string
  } catch {
    return line
  }
}
