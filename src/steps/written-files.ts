import { join, posix } from 'node:path'
import { matchesAny } from '../model/glob.ts'
import type { WriteSpec } from '../model/workflow.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readTextIfPresent, replaceFile } from '../platform/files.ts'
import { lookInside } from '../platform/inside-file.ts'
import { readdir } from '../platform/quick-files.ts'
import type { Site } from './workplace.ts'

const file = 'artifacts-before.json'

/**
 * How the step's artifacts look right before the agent starts. Kept beside the call, because whoever judges may be
 * another process than the one that started the agent.
 */
export async function noteArtifacts(site: Site, dir: string, paths: readonly string[]): Promise<void> {
  const there = await named(site, paths)
  const before = await Promise.all(there.map(async (path) => [path, await lookOf(site, path)] as const))
  await replaceFile(join(dir, file), JSON.stringify(Object.fromEntries(before)))
}

/** Files with something in them that were written since: also with the same words, which git would not see. */
export async function writtenSince(site: Site, dir: string, paths: readonly string[]): Promise<string[]> {
  const before = JSON.parse((await readTextIfPresent(join(dir, file))) || '{}') as Record<string, string>
  const written: string[] = []
  for (const path of await named(site, paths)) {
    const now = await lookOf(site, path)
    if (now !== '' && now !== before[path]) written.push(path)
  }
  return written
}

/** What may stay as it is: those of its files that have something in them. */
export async function standing(site: Site, writes: readonly WriteSpec[]): Promise<string[]> {
  const kept = writes.filter(({ orKept }) => orKept === true).map(({ path }) => path)
  const files = await named(site, kept)
  const looks = await Promise.all(files.map((path) => lookOf(site, path)))
  return files.filter((_, index) => looks[index] !== '')
}

/** A path, or the files of a folder that a pattern such as `specs/*.md` names. */
async function named({ task }: Site, paths: readonly string[]): Promise<string[]> {
  const found = paths.map(async (path) => {
    if (!path.includes('*')) return [path]
    const dir = posix.dirname(path)
    const names = (await unlessMissing(readdir(join(task.worktree, dir)))) ?? []
    return names
      .toSorted()
      .map((name) => posix.join(dir, name))
      .filter((one) => matchesAny(one, [path]))
  })
  return [...new Set((await Promise.all(found)).flat())]
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
