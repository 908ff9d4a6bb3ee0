import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { moveBranch } from '../git/import.ts'
import type { Site } from './workplace.ts'

export type Move = { readonly from: string; readonly to: string }

/** Moves the task branch, or stops the run: somebody who moved it meanwhile decides which of the two it is. */
export async function moveOrStop(site: Site, move: Move, onMoved?: () => void): Promise<void> {
  const moved = await moveBranch(site.task, { ...move, ...(onMoved ? { onMoved } : {}) })
  if (moved.type === 'done') return
  const { branch } = site.task
  const found = moved.found ?? 'nothing'
  throw new FailureError({
    code: 'branch.diverged',
    message: `The branch ${branch} was moved to ${found} while a step worked on it; the step's work is ${move.to}.`,
    next: `git update-ref ${shellWord(`refs/heads/${branch}`)} ${move.to} ${moved.found ?? ''}  (or merge the two), then: baton resume ${site.folder.id}`,
    exitCode: exitCodes.waiting,
  })
}
