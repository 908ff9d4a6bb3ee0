import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './errno.ts'

/** Not by Node's `recursive`: where the system makes no folder and says that there is none (`/proc`), Node 20 asks for ever. */
export function makeFolders(path: string, mode?: number): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolders(above, mode)
  try {
    mkdirSync(path, mode)
  } catch (error) {
    // Somebody else was faster.
    if (errorCode(error) !== 'EEXIST' || !isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
