// What a person has committed in the task's worktree, as far as the files there are concerned.
import { join } from 'node:path'
import { gitInAgentSpace } from './agent-space.ts'
import { git } from './host-git.ts'
import { onWorktree } from './on-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * Of what has changed between two commits, the files that a person's index has as the second one has them were
 * committed here: the worktree is as he wants it, with what he left out of the commit or only took out of git. The
 * engine's index gets them as they are in the commit, so that nothing of it is brought into the worktree.
 */
export async function takeWhatWasCommittedHere(task: TaskWorkspace, from: string, to: string): Promise<void> {
  const host = { gitDir: task.engineDir, indexFile: join(task.registration, 'index'), allowFailure: true }
  const how = ['-z', '--no-renames', '--ignore-submodules=dirty']
  const [others, changes] = await Promise.all([
    git(['diff-index', '--cached', '--name-only', ...how, to, '--'], host),
    git(['diff-tree', '-r', '--no-abbrev', ...how, from, to, '--'], host),
  ])
  if (others.code !== 0 || changes.code !== 0) return
  // Names are handled as bytes, one character each.
  const elsewhere = new Set(others.stdout.toString('latin1').split('\0'))
  const fields = changes.stdout.toString('latin1').split('\0')
  const entries: string[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [path = '', [, mode, , id] = []] = [fields[at + 1], fields[at]?.split(' ')]
    if (!elsewhere.has(path)) entries.push(`${mode} ${id}\t${path}\0`)
  }
  if (entries.length === 0) return
  const input = Buffer.from(entries.join(''), 'latin1')
  await gitInAgentSpace(['update-index', '-z', '--index-info'], { ...onWorktree(task), input })
}
