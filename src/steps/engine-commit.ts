import { commitTree, engineAuthor } from '../git/commit.ts'
import { treeOf } from '../git/worktree-tree.ts'
import { importCommits, nextSnapshotRef } from '../git/import.ts'
import { beginLook, beginTree } from '../git/look-ahead.ts'
import { moveOrStop } from './move-branch.ts'
import type { StartingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'

export type Committed = { readonly tip: string; readonly tree: string }

/** What the engine itself has changed in the worktree, as one commit at the end of the task branch. */
export async function commitOwn(site: Site, start: StartingPoint, message: string): Promise<Committed> {
  const tree = await treeOf(site.task)
  if (tree === start.tree) return { tip: start.tip, tree }
  // Nobody works there until the next step: what that begins with is looked at on the way.
  beginTree(site.task)
  const content = { tree, parents: [start.tip], message, author: engineAuthor, date: start.at }
  const tip = await commitTree(site.task, content)
  const snapshot = nextSnapshotRef(site.task)
  const brought = { from: site.task.engineDir, tip, last: start.tip, snapshot }
  const imported = await importCommits(site.task, brought)
  if (imported.type === 'refused') throw new Error(`the engine's own commit was refused: ${imported.reason}`)
  await moveOrStop(site, { from: start.tip, to: tip }, () => beginLook(site.task))
  return { tip, tree }
}
