import { join } from 'node:path'
import { readTextIfPresent, replaceFile } from '../platform/files.ts'
import { lookInside } from '../platform/inside-file.ts'
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

/** Files with something in them that were written since: also with the same words, which git would not see. */
export async function writtenSince(site: Site, dir: string, paths: readonly string[]): Promise<string[]> {
  const before = JSON.parse((await readTextIfPresent(join(dir, file))) || '{}') as Record<string, string>
  const written: string[] = []
  for (const path of paths) {
    const now = await lookOf(site, path)
    if (now !== '' && now !== before[path]) written.push(path)
  }
  return written
}

/** Empty for what is no artifact at all: missing, blank, a link, a folder, or a file outside that a link leads to. */
async function lookOf({ task }: Site, path: string): Promise<string> {
  const entry = await lookInside(task.worktree, path)
  if (entry === undefined || entry.size === 0) return ''
  if (entry.size < mayBeBlank && (await readTextIfPresent(join(task.worktree, path)))?.trim() === '')
    return ''
  return `${entry.ino}:${entry.size}:${entry.mtimeMs}:${entry.ctimeMs}`
}

/** In bytes. What is longer is not looked into. */
const mayBeBlank = 1000
