import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { commitTree, engineAuthor } from '../git/commit.ts'
import { treeIdOf } from '../git/commit-tree-id.ts'
import { requireUnflagged } from '../git/flagged.ts'
import { isAsPublished } from '../git/publish-index.ts'
import { treeOf } from '../git/worktree-tree.ts'
import { importCommits, nextSnapshotRef } from '../git/import.ts'
import { tipNow, treeNow } from '../git/look-ahead.ts'
import { syncWithPerson } from '../git/moved-by-person.ts'
import type { Sync } from '../git/moved-by-person.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { together } from '../platform/together.ts'
import { moveOrStop } from './move-branch.ts'
import type { Site } from './workplace.ts'

/** Where a step begins: the facts that everything afterwards is compared with, and that a crash goes back to. */
export type StartingPoint = {
  readonly tip: string
  readonly tree: string
  /** Whether a person's own changes were taken over right before. */
  readonly byHand?: true
  /** From the journal, so that a repeated step makes the same commit. */
  readonly at: string
}

/** What the last step left: known without asking git again. */
export interface LastKnown {
  readonly tip: string
  readonly tree?: string
}

export async function startingPoint(
  context: DurableContext,
  site: Site,
  at: {
    readonly key: string
    readonly last: LastKnown
    /** What can be got ready while git looks. */
    readonly meanwhile?: () => Promise<void>
  },
): Promise<StartingPoint> {
  const { key, last, meanwhile } = at
  const found = await context.step<StartingPoint & { by_hand: boolean }>(`${key}/start`, async () => {
    const time = site.clock.now().toISOString()
    const [{ sync, tree }] = await together([whereItStands(site, last.tip), Promise.resolve(meanwhile?.())])
    const tip = sync.type === 'forward' ? sync.tip : last.tip
    // What a person has not committed is no work of the step that comes now, whether he has committed something or not.
    const expected = sync.type === 'same' ? last.tree : await treeIdOf(site.repo, sync.tip)
    if (expected === undefined || tree === expected)
      return { tip, tree, at: time, by_hand: sync.type === 'forward' }
    return { tip: await keepHandWork(site, { tip, tree, at: time }), tree, at: time, by_hand: true }
  })
  if (found.by_hand) {
    const data = { from: last.tip, to: found.tip, by: 'person' }
    await context.record(`${key}/by-hand`, engineEvent('branch.moved', data))
  }
  const { tip, tree, at: time } = found
  return found.by_hand ? { tip, tree, at: time, byHand: true } : { tip, tree, at: time }
}

/** Where the last step's end was looked at already, that is all. */
async function whereItStands({ task }: Site, lastKnown: string): Promise<{ sync: Sync; tree: string }> {
  const [tip, tree] = await together([tipNow(task), treeNow(task)])
  const sync = await syncWithPerson(task, { lastKnown, tip })
  const found = sync.type === 'same' ? tree : await treeOf(task)
  if (!(await isAsPublished(task))) await requireUnflagged(task, found)
  return { sync, tree: found }
}

/** Nothing of ours ran since the last step, so what has changed is a person's: it becomes a commit of theirs. */
async function keepHandWork(site: Site, { tip, tree, at }: StartingPoint): Promise<string> {
  const author = site.repo.identity ?? engineAuthor
  const message = 'Changes made by hand in the worktree\n'
  const commit = await commitTree(site.task, { tree, parents: [tip], message, author, date: at })
  const snapshot = nextSnapshotRef(site.task)
  const imported = await importCommits(site.task, {
    from: site.task.engineDir,
    tip: commit,
    last: tip,
    snapshot,
  })
  if (imported.type === 'refused') throw refusedByHand(site, imported.reason)
  await moveOrStop(site, { from: tip, to: commit })
  return commit
}

function refusedByHand(site: Site, reason: string): FailureError {
  return new FailureError({
    code: 'worktree.unusable',
    message: `What was changed by hand in ${site.task.worktree} cannot be taken over: ${reason}.`,
    next: `Put it right there, then: baton resume ${site.folder.id}`,
    exitCode: exitCodes.waiting,
  })
}
