import { rm } from 'node:fs/promises'
import { captureCommand } from './capture.ts'
import { lstatIfThere } from './quick-files.ts'

const remover = '/bin/rm'

/**
 * Removes a folder in which somebody else has worked, with all that is in it, if it is there. By rm(1): it holds on to
 * the folders it is in, so that nobody can lead it elsewhere with a link; and with many files it takes a third of the
 * time, none of it ours.
 */
export async function removeTree(path: string): Promise<void> {
  if (await lstatIfThere(path)) await removeTrees([path])
}

export async function removeTrees(paths: readonly string[]): Promise<void> {
  const { code } = await captureCommand([remover, '-rf', '--', ...paths], { cwd: '/', env: {} })
  if (code === 0) return
  // Where there is no such program; and where there is, Node says with an error what is in the way.
  for (const path of paths) await rm(path, { recursive: true, force: true, maxRetries: 3 })
}
