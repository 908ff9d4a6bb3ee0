import type { DurableContext } from '../model/durable.ts'
import type { StepResult } from '../model/step-result.ts'
import { engineAuthor } from '../git/commit.ts'
import { dropPrivateDirs } from '../git/drop-private-dirs.ts'
import { fillIn } from '../git/fill-in.ts'
import { gitText } from '../git/host-git.ts'
import { importCommits, nextSnapshotRef } from '../git/import.ts'
import { mergeBase } from '../git/merge.ts'
import { openPrivateDir } from '../git/private-dir.ts'
import { restoreTree } from '../git/restore.ts'
import { keepRef } from '../git/task-refs.ts'
import { treeUpon } from '../git/worktree-tree.ts'
import { together } from '../platform/together.ts'
import type { ActionVisit } from './action-visit.ts'
import type { Performed } from './agent-step.ts'
import { currentBase, fetchBase } from './current-base.ts'
import { mergeMessage } from './messages.ts'
import { privatePrefix } from './own-side.ts'
import { startingPoint } from './starting-point.ts'
import type { StartingPoint } from './starting-point.ts'
import { moveOrStop } from './move-branch.ts'
import type { Site } from './workplace.ts'

type Merged =
  | { readonly type: 'clean'; readonly base: string; readonly tip: string; readonly tree: string }
  | { readonly type: 'conflict'; readonly base: string; readonly paths: readonly string[] }

/**
 * Brings the base into the task branch. A clean merge is committed; of a conflict only the fact is recorded, and
 * the role that resolves it finds the same merge made anew from the same starting point.
 */
export async function integrateBase(
  context: DurableContext,
  { site, request, last }: ActionVisit,
): Promise<Performed> {
  const { key } = request
  const start = await startingPoint(context, site, { key, last })
  await fetchBase(context, site, key)
  const merged = await context.step<Merged>(`${key}/merge`, () => merge(site, key, start))
  if (merged.type === 'conflict') {
    const facts = { merge_head: merged.base, conflicts: merged.paths }
    const reason = `conflicts in ${merged.paths.join(', ')}`
    const result: StepResult = {
      outcome: 'revise',
      label: 'conflict',
      reason,
      writes: [],
      gates: [],
      facts,
      commit: start.tip,
    }
    return { result, last: { tip: start.tip, tree: start.tree } }
  }
  const facts = { merged: merged.base }
  const result: StepResult = {
    outcome: 'ok',
    label: 'clean',
    writes: [],
    gates: [],
    facts,
    commit: merged.tip,
  }
  return { result, last: { tip: merged.tip, tree: merged.tree } }
}

async function merge(site: Site, key: string, start: StartingPoint): Promise<Merged> {
  const message = mergeMessage(site)
  const back = { to: start.tree, date: start.at, step: key }
  const [base] = await together([
    keptBase(site),
    // Cut short, a merge leaves its result in the worktree: it is made again from where the step began.
    restoreTree(site.task, { ...back, message: `${message}, cut short\n` }),
  ])
  const own = await openPrivateDir(site.task, {
    ...{
      name: `${privatePrefix(key)}merge`,
      tip: start.tip,
      mergeHead: base,
      identity: engineAuthor,
    },
  })
  try {
    const result = await mergeBase(site.task, {
      private: own,
      base,
      message,
      author: engineAuthor,
      date: start.at,
    })
    await own.close()
    if (result.type === 'up_to_date') return { type: 'clean', base, tip: start.tip, tree: start.tree }
    if (result.type === 'conflict') {
      await restoreTree(site.task, { ...back, message: `${message}, in conflict\n` })
      return { type: 'conflict', base, paths: result.paths.slice(0, 200) }
    }
    const snapshot = nextSnapshotRef(site.task)
    const imported = await importCommits(site.task, {
      from: own.path,
      tip: result.tip,
      last: start.tip,
      base,
      snapshot,
    })
    if (imported.type === 'refused') throw new Error(`the engine's own merge was refused: ${imported.reason}`)
    // The merge was made on another index: without what it has brought, ours would say that it was taken back.
    await treeUpon(site.task, result.tip)
    await moveOrStop(site, { from: start.tip, to: result.tip })
    const tree = await gitText(['rev-parse', `${result.tip}^{tree}`], { gitDir: site.repo.gitDir })
    return { type: 'clean', base, tip: result.tip, tree }
  } finally {
    await own.close()
    await dropPrivateDirs(site.task, privatePrefix(key))
  }
}

/** With all that belongs to it here, and safe from garbage collection. */
async function keptBase(site: Site): Promise<string> {
  const base = await currentBase(site)
  await keepRef(site.repo, `refs/baton/${site.folder.id}/target`, base)
  await fillIn(site.repo, [base])
  return base
}
