// Every byte under a folder, in a form that can be compared: names as bytes, content, exec bit, targets of links.
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

export type Listing = Readonly<Record<string, string>>

export interface ListingOptions {
  /** Paths, relative to the root, that are left out with all that is in them. */
  readonly without?: readonly string[]
}

export async function listingOf(root: string, { without = ['.git'] }: ListingOptions = {}): Promise<Listing> {
  const listing: Record<string, string> = {}
  const visit = async (folder: string): Promise<void> => {
    for (const name of (await readdir(place(root, folder), { encoding: 'latin1' })).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (without.includes(path)) continue
      const entry = await lstat(place(root, path))
      if (entry.isDirectory()) {
        listing[`${path}/`] = 'folder'
        await visit(path)
      } else if (entry.isSymbolicLink()) {
        listing[path] = `link to ${await readlink(place(root, path))}`
      } else {
        const digest = createHash('sha256')
          .update(await readFile(place(root, path)))
          .digest('hex')
        listing[path] = `${entry.mode & 0o111 ? 'program' : 'file'} ${digest}`
      }
    }
  }
  await visit('')
  return listing
}

/** Git keeps no folders, so where only git has kept something they are not compared. */
export function filesOnly(listing: Listing): Listing {
  return Object.fromEntries(Object.entries(listing).filter(([, what]) => what !== 'folder'))
}

function place(root: string, path: string): Buffer {
  return Buffer.from(join(Buffer.from(root).toString('latin1'), path), 'latin1')
}
