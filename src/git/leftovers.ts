import { gitInAgentSpace } from './agent-space.ts'
import { firstComplaint, git, gitText } from './host-git.ts'
import { createRef, nextSnapshotRef } from './import.ts'
import type { PrivateDir } from './private-dir.ts'
import { dropQuarantine, foreignAmong, receive, release, type Shipment } from './quarantine.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export type Leftovers =
  | {
      readonly type: 'kept'
      readonly snapshots: readonly { readonly ref: string; readonly commit: string }[]
    }
  /** Then the private directory must not be thrown away. */
  | { readonly type: 'refused'; readonly reason: string }

/**
 * Commits in a private directory that no import has brought over (other branches, stashes, what an amended commit
 * was before) become snapshots. They may be a rewritten history; their objects are checked all the same.
 */
export async function keepLeftovers(
  task: TaskWorkspace,
  { path }: Pick<PrivateDir, 'path'>,
): Promise<Leftovers> {
  const known = await knownCommits(task)
  const args = ['rev-list', '--all', '--reflog', '--parents', '--not', ...known, '--']
  const found = await gitInAgentSpace(args, { gitDir: path, allowFailure: true })
  if (found.code !== 0) return { type: 'refused', reason: firstComplaint(found) }
  const commits = parseParents(found.stdout.toString())
  const tips = headsOf(commits)
  if (tips.length === 0) return { type: 'kept', snapshots: [] }
  return importHeads(task, { from: path, tips, known }, [...commits.keys()])
}

async function knownCommits(task: TaskWorkspace): Promise<string[]> {
  const places = [`refs/heads/${task.branch}`, `refs/baton/${task.run}/`]
  const text = await gitText(['for-each-ref', '--format=%(objectname)', ...places], {
    gitDir: task.repo.gitDir,
  })
  return [...new Set(text.split('\n').filter(Boolean))]
}

export function parseParents(list: string): Map<string, readonly string[]> {
  const lines = list.split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [id = '', ...parents] = line.split(' ')
      return [id, parents]
    }),
  )
}

/** Those that are nobody's parent. */
export function headsOf(commits: ReadonlyMap<string, readonly string[]>): string[] {
  const parents = new Set([...commits.values()].flat())
  return [...commits.keys()].filter((id) => !parents.has(id))
}

async function importHeads(
  task: TaskWorkspace,
  shipment: Shipment,
  commits: readonly string[],
): Promise<Leftovers> {
  const received = await receive(task, shipment)
  if (received.type === 'refused') return received
  const { quarantine } = received
  const args = ['rev-list', '--objects', '--quiet', ...shipment.tips, '--not', ...shipment.known, '--']
  const complete = await git(args, { ...quarantine.view, allowFailure: true })
  if (complete.code !== 0) {
    await dropQuarantine(task)
    return { type: 'refused', reason: firstComplaint(complete) }
  }
  const foreign = new Set(await foreignAmong(task, quarantine, commits))
  const own = commits.filter((id) => !foreign.has(id))
  await release(task, quarantine, own)
  const snapshots = []
  for (const commit of shipment.tips) {
    const ref = await nextSnapshotRef(task)
    await createRef(task, ref, commit)
    snapshots.push({ ref, commit })
  }
  return { type: 'kept', snapshots }
}
