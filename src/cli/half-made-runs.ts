import { readdir, rm, stat } from 'node:fs/promises'
import { unmarkRun } from '../journal/own-runs.ts'
import { listRunIds, runFolder } from '../journal/run-folder.ts'
import { unlessMissing } from '../platform/errno.ts'
import { readHolder, takeLock } from '../platform/lock.ts'
import type { Project } from './project.ts'

export interface HalfMade {
  readonly olderThanMs: number
  readonly now: number
  readonly dryRun: boolean
}

/**
 * Folders that a run claimed and was killed in before its first fact: nothing but copies of workflow files. Gives
 * their paths.
 */
export async function dropHalfMade(project: Project, half: HalfMade): Promise<string[]> {
  const { runsDir } = project
  const begun = new Set(await listRunIds(runsDir))
  const names = ((await unlessMissing(readdir(runsDir))) ?? []).filter((name) => /^\d+$/.test(name))
  const dropped: string[] = []
  for (const id of names.filter((name) => !begun.has(name))) {
    const { dir, lock: path, journal } = runFolder(runsDir, id)
    if (half.now - (await stat(dir)).mtimeMs < half.olderThanMs) continue
    if ((await readHolder(path))?.alive === true) continue
    if (!half.dryRun && !(await drop({ dir, path, journal }))) continue
    if (!half.dryRun) await unmarkRun(project.repo, id)
    dropped.push(dir)
  }
  return dropped
}

async function drop(run: { dir: string; path: string; journal: string }): Promise<boolean> {
  if ((await takeLock(run.path)).type === 'held') return false
  await rm(run.dir, { recursive: true, force: true })
  await rm(run.journal, { force: true })
  return true
}
