import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { changedPaths } from '../git/facts.ts'
import { treeOf, treeUpon } from '../git/worktree-tree.ts'
import { gitText } from '../git/host-git.ts'
import { restoreTree } from '../git/restore.ts'
import type { TaskWorkspace } from '../git/task-workspace.ts'

/**
 * What set-up commands left in the worktree is no agent's work and belongs in no commit: new files are excluded
 * from git for this task, changed ones are put back.
 */
export async function settleLeftovers(task: TaskWorkspace, start: string, date: string): Promise<string[]> {
  const tree = await treeOf(task)
  const changed = await changedPaths(task, start, tree)
  const added = changed.filter(({ change }) => change === 'added').map(({ path }) => path)
  const tracked =
    added.length === 0
      ? ''
      : await gitText(['ls-tree', '-r', '-d', '--name-only', '-z', start], { gitDir: task.repo.gitDir })
  const patterns = patternsFor(added, new Set(tracked.split('\0')))
  if (patterns.length > 0)
    await appendFile(join(task.engineDir, 'info', 'exclude'), `${patterns.join('\n')}\n`)
  // The index forgets the new files first, or putting back the changed ones would take them away.
  if (changed.length > 0) await treeUpon(task, start)
  if (changed.length > 0)
    await restoreTree(task, { to: start, message: 'What set-up commands changed\n', date })
  return patterns
}

/** One pattern for each new folder, or file in a folder that was there. Special characters are escaped. Pure. */
function patternsFor(added: readonly string[], trackedFolders: ReadonlySet<string>): string[] {
  const patterns = added.map((path) => {
    const parts = path.split('/')
    const depth = parts.findIndex(
      (_, index) => index < parts.length - 1 && !trackedFolders.has(parts.slice(0, index + 1).join('/')),
    )
    const top = depth === -1 ? path : `${parts.slice(0, depth + 1).join('/')}/`
    // One of any character stands for those that no line of an exclude file can hold.
    const literal = top.replaceAll(/[\\*?[\] !#]/g, String.raw`\$&`)
    return `/${literal.replaceAll(/\n|\\\\x[0-9a-f]{2}/g, '?')}`
  })
  return [...new Set(patterns)]
}
