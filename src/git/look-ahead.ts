/**
 * Facts about the worktree and the task branch, looked for before they are asked for: git looks while the engine reads
 * an answer, brings a commit over or writes down how a step ended. What was found is taken only if nothing was done in
 * the worktree since and if it is as good as new; else, and where anything is out of the ordinary, it is looked again.
 */
import { judgeAdd } from './add-verdict.ts'
import { gitInTurn } from './agent-space.ts'
import { onWorktree } from './on-worktree.ts'
import { resolveCommit } from './repository.ts'
import { goAhead, isUntouched } from './space-turns.ts'
import { mayHaveLinks } from './submodule-folders.ts'
import type { TaskWorkspace } from './task-workspace.ts'
import { addAndWrite, takesNamesForSame, treeOf } from './worktree-tree.ts'

interface Begun<T> {
  readonly found: Promise<T | undefined>
  /** Undefined while git still looks. */
  endedAt?: number
}

/** In milliseconds, from its end: about as long as a busy machine needs to bring a commit over. */
const staysFresh = 250

const trees = new Map<string, Begun<string>>()
const tips = new Map<string, Begun<{ readonly tip: string | undefined }>>()

/** When it is a person's turn, or another session's: whatever was seen before that says nothing any more. */
export function forgetLooks(): void {
  trees.clear()
  tips.clear()
}

/** The worktree as it is, see `treeOf`. */
export function beginTree(task: TaskWorkspace): void {
  const { found } = begin(trees, task, treeAhead(task))
  goAhead(task.engineDir, found)
}

/** As `treeOf`, from a look ahead where that still holds. */
export async function treeNow(task: TaskWorkspace): Promise<string> {
  return (await takeTree(task)) ?? treeOf(task)
}

/** Undefined if there is none that still holds. Each is taken once. */
export function takeTree(
  task: TaskWorkspace,
  now = performance.now(),
): Promise<string | undefined> | undefined {
  const found = take(trees, task, now)
  return isUntouched(task.engineDir) ? found : undefined
}

/** Where the task branch has just been brought; and the worktree, unless it was looked at on the way there. */
export function beginLook(task: TaskWorkspace): void {
  begin(tips, task, tipAhead(task))
  if (!trees.has(task.engineDir) || !isUntouched(task.engineDir)) beginTree(task)
}

/** Where the task branch stands; undefined if it is gone. */
export async function tipNow(task: TaskWorkspace): Promise<string | undefined> {
  return ((await takeTip(task)) ?? (await tipAhead(task))).tip
}

/** As `takeTree`. */
export function takeTip(
  task: TaskWorkspace,
  now = performance.now(),
): Promise<{ readonly tip: string | undefined } | undefined> | undefined {
  return take(tips, task, now)
}

function begin<T>(
  looks: Map<string, Begun<T>>,
  { engineDir }: TaskWorkspace,
  look: Promise<T | undefined>,
): Begun<T> {
  const found = look.catch(() => undefined)
  const begun: Begun<T> = { found }
  void found.then(() => (begun.endedAt = performance.now()))
  looks.set(engineDir, begun)
  return begun
}

function take<T>(
  looks: Map<string, Begun<T>>,
  { engineDir }: TaskWorkspace,
  now: number,
): Promise<T | undefined> | undefined {
  const begun = looks.get(engineDir)
  looks.delete(engineDir)
  if (!begun) return undefined
  // Many files take git longer than that: what it still looks at is as new as it can be.
  const isFresh = begun.endedAt === undefined || now - begun.endedAt <= staysFresh
  return isFresh ? begun.found : undefined
}

async function tipAhead(task: TaskWorkspace): Promise<{ readonly tip: string | undefined }> {
  return { tip: await resolveCommit(task.repo, `refs/heads/${task.branch}`) }
}

async function treeAhead(task: TaskWorkspace): Promise<string | undefined> {
  // These take more than one command.
  if (mayHaveLinks(task) || takesNamesForSame(task)) return undefined
  const [added, tree] = await gitInTurn(addAndWrite, onWorktree(task))
  return judgeAdd(added).type === 'complete' && tree?.code === 0 ? tree.stdout.toString().trim() : undefined
}
