import { join } from 'node:path'
import { unlessMissing } from '../platform/errno.ts'
import { readTextIfPresent, replaceFile } from '../platform/files.ts'
import { lstat } from '../platform/quick-files.ts'
import type { Site } from './workplace.ts'

const file = 'artifacts-before.json'

/**
 * How the step's artifacts look right before the agent starts. Kept beside the call, because whoever judges may be
 * another process than the one that started the agent.
 */
export async function noteArtifacts(site: Site, dir: string, paths: readonly string[]): Promise<void> {
  const before = await Promise.all(paths.map(async (path) => [path, await lookOf(site, path)] as const))
  await replaceFile(join(dir, file), JSON.stringify(Object.fromEntries(before)))
}

/** Files, not empty, that were written since: also with the same words, which git would not see. */
export async function writtenSince(site: Site, dir: string, paths: readonly string[]): Promise<string[]> {
  const before = JSON.parse((await readTextIfPresent(join(dir, file))) || '{}') as Record<string, string>
  const written: string[] = []
  for (const path of paths) {
    const now = await lookOf(site, path)
    if (now !== '' && now !== before[path]) written.push(path)
  }
  return written
}

/** Empty for what is no artifact at all: missing, empty, a link, a folder. */
async function lookOf(site: Site, path: string): Promise<string> {
  const entry = await unlessMissing(lstat(join(site.task.worktree, path)))
  if (entry?.isFile() !== true || entry.size === 0) return ''
  return `${entry.ino}:${entry.size}:${entry.mtimeMs}:${entry.ctimeMs}`
}
