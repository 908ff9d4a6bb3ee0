/**
 * Where the next step begins, looked at before it is asked for: git looks while the engine writes down how the last
 * step ended. What a look found is taken only if nothing was done in the worktree since and if it is as good as new;
 * else, and where anything is out of the ordinary, it is looked again.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { judgeAdd } from './add-verdict.ts'
import { addEverything } from './add-all.ts'
import { gitOutOfTurn } from './agent-space.ts'
import { roomOf } from './git-room.ts'
import { onWorktree } from './on-worktree.ts'
import { resolveCommit } from './repository.ts'
import { goAhead, wasUntouched } from './space-turns.ts'
import type { TaskWorkspace } from './task-workspace.ts'

export interface Look {
  /** Of the task branch. */
  readonly tip: string | undefined
  /** Of the worktree as it is, see `treeOf`. */
  readonly tree: string
}

interface Begun {
  readonly found: Promise<Look | undefined>
  /** Undefined while git still looks. */
  endedAt?: number
}

/** In milliseconds, from its end. About as long as goes by between any look and the start of an agent. */
const staysFresh = 50

const looks = new Map<string, Begun>()

export function beginLook(task: TaskWorkspace): void {
  const found = look(task).catch(() => undefined)
  const begun: Begun = { found }
  void found.then(() => (begun.endedAt = performance.now()))
  goAhead(task.engineDir, found)
  looks.set(task.engineDir, begun)
}

/** Undefined if there is none that still holds. Each is taken once. */
export function takeLook(
  { engineDir }: TaskWorkspace,
  now = performance.now(),
): Promise<Look | undefined> | undefined {
  const begun = looks.get(engineDir)
  looks.delete(engineDir)
  const isUntouched = wasUntouched(engineDir)
  if (!begun || !isUntouched) return undefined
  // Many files take git longer than that: what it still looks at is as new as it can be.
  const isFresh = begun.endedAt === undefined || now - begun.endedAt <= staysFresh
  return isFresh ? begun.found : undefined
}

async function look(task: TaskWorkspace): Promise<Look | undefined> {
  // Submodules take more than one command.
  if (lstatSync(join(task.worktree, '.gitmodules'), { throwIfNoEntry: false })) return undefined
  const room = roomOf(task.engineDir)
  const tip = await resolveCommit(task.repo, `refs/heads/${task.branch}`)
  // Where the run has walls, nothing is done when they are gone.
  if (roomOf(task.engineDir) !== room) return undefined
  const added = await gitOutOfTurn(addEverything, { ...onWorktree(task), allowFailure: true })
  if (judgeAdd(added).type !== 'complete') return undefined
  const { stdout } = await gitOutOfTurn(['write-tree'], onWorktree(task))
  return { tip, tree: stdout.toString().trim() }
}
