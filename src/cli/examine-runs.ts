import { forgetLostWorktrees, lostWorktrees } from '../git/lost-worktrees.ts'
import { listRunIds, runFolder } from '../journal/run-folder.ts'
import { readHolder, takeLock } from '../platform/lock.ts'
import type { Finding } from './finding.ts'
import { dropHalfMade } from './half-made-runs.ts'
import type { Project } from './project.ts'

/** What processes that were killed have left behind. Runs that are over are the matter of `baton clean`. */
export async function examineRuns(project: Project, now: number): Promise<readonly Finding[]> {
  return [await locksHere(project), await halfMadeHere(project, now), await worktreesHere(project)]
}

async function locksHere({ runsDir }: Project): Promise<Finding> {
  const stale: { readonly run: string; readonly path: string }[] = []
  for (const run of await listRunIds(runsDir)) {
    const { lock: path } = runFolder(runsDir, run)
    if ((await readHolder(path))?.alive === false) stale.push({ run, path })
  }
  if (stale.length === 0) return { name: 'locks', ok: true, says: 'none of a dead process' }
  const runs = stale.map(({ run }) => run).join(', ')
  return {
    ...{ name: 'locks', ok: false, says: `held by dead processes: run ${runs}` },
    mend: 'baton doctor --fix, or go on: baton resume <run>',
    async fix() {
      for (const { path } of stale) {
        // Taken over as `resume` would: of a process that has begun meanwhile nothing is taken away.
        const lock = await takeLock(path)
        if (lock.type === 'taken') await lock.release()
      }
      return `locks of dead processes removed: run ${runs}`
    },
  }
}

/** A run that is being started just now has a folder before it has a fact. */
const youngMs = 10 * 60_000

async function halfMadeHere(project: Project, now: number): Promise<Finding> {
  const half = { olderThanMs: youngMs, now }
  const found = await dropHalfMade(project, { ...half, dryRun: true })
  if (found.length === 0) return { name: 'runs', ok: true, says: 'none that was killed before it began' }
  return {
    ...{ name: 'runs', ok: false, says: `killed before they began: ${found.join(', ')}` },
    mend: 'baton doctor --fix',
    fix: async () => `removed: ${(await dropHalfMade(project, { ...half, dryRun: false })).join(', ')}`,
  }
}

async function worktreesHere({ repo }: Project): Promise<Finding> {
  const lost = await lostWorktrees(repo)
  if (lost.length === 0) return { name: 'worktrees', ok: true, says: 'all that git knows of are there' }
  return {
    ...{ name: 'worktrees', ok: false, says: `deleted by hand: ${lost.join(', ')}` },
    mend: 'baton doctor --fix, which forgets them; baton resume makes that of its run again',
    async fix() {
      await forgetLostWorktrees(repo)
      return `forgotten: ${lost.join(', ')}`
    },
  }
}
