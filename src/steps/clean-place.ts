import { randomBytes } from 'node:crypto'
import { lstat, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkOut, ignoredFolders } from '../git/clean-checkout.ts'
import { unlessMissing } from '../platform/errno.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { removeTree } from '../platform/remove-tree.ts'
import { together } from '../platform/together.ts'
import { forgetHomeOf } from './own-home.ts'
import { furnish } from './prepare-worktree.ts'
import type { Site } from './workplace.ts'

export interface CleanPlace {
  readonly root: string
  /** How it came to have what a checkout does not bring. */
  readonly note: string
  remove(): Promise<void>
}

/**
 * A fresh checkout of a commit, prepared as the worktree was. It stands beside the worktree: inside the project,
 * tools that look upwards would find the project's own settings and dependencies.
 */
export async function openCleanPlace(
  site: Site,
  { tip, logs, signal }: { readonly tip: string; readonly logs: string; readonly signal: AbortSignal },
): Promise<CleanPlace> {
  const record = join(site.task.stateDir, 'clean-checkout')
  const left = await readTextIfPresent(record)
  if (left) await discard(site, left)
  const root = `${site.task.worktree}.clean-${randomBytes(4).toString('hex')}`
  // First its name: what a crash leaves behind is removed the next time.
  await writeFileAtomic(record, root)
  const remove = async (): Promise<void> => {
    if (await discard(site, root)) await rm(record, { force: true })
  }
  try {
    await mkdir(root)
    const [ignored] = await together([foldersToBring(site), checkOut(site.task, tip, root)])
    await furnish(site, { root, logs, ports: site.ports, signal })
    return { root, note: await bringDependencies(site, root, ignored), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A folder that its own tests have closed to us stays: it is in nobody's way, and no reason to stop a run. */
async function discard(site: Site, folder: string): Promise<boolean> {
  try {
    await forgetHomeOf(site, folder)
    await removeTree(folder)
    return true
  } catch {
    return false
  }
}

/** What package managers fill, by the names of their folders. */
const dependencyFolders = new Set([
  ...['node_modules', 'bower_components', '.yarn', '.pnpm-store'],
  ...['.venv', 'venv', '__pypackages__', 'vendor', '.bundle', 'Pods', 'Carthage', 'deps'],
])

/** Set-up commands make them anew; a project without any would have no dependencies, so they are linked. */
async function foldersToBring({ settings, task }: Site): Promise<readonly string[]> {
  return settings.worktree.setup.length > 0 ? [] : ignoredFolders(task)
}

async function bringDependencies(site: Site, root: string, folders: readonly string[]): Promise<string> {
  const { setup } = site.settings.worktree
  if (setup.length > 0) return `set up by ${setup.map((argv) => `'${argv.join(' ')}'`).join(', ')}`
  const linked: string[] = []
  for (const folder of folders) {
    if (!dependencyFolders.has(folder.slice(folder.lastIndexOf('/') + 1))) continue
    const to = join(root, folder)
    if ((await unlessMissing(lstat(to))) !== undefined) continue
    await ensureDirectory(dirname(to))
    await symlink(join(site.task.worktree, folder), to)
    linked.push(folder)
  }
  return linked.length === 0 ? '' : `linked from the worktree: ${linked.join(', ')}`
}
