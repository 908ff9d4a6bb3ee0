// What the parts of cleaning a run share.
import type { SavingLimits } from '../git/remove-worktree.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { Cleaned } from '../model/cleaned.ts'
import type { RunState } from '../model/run-state.ts'
import { endedStatuses } from './choose-runs.ts'
import type { Project } from './project.ts'

export interface CleanOptions extends SavingLimits {
  readonly dryRun: boolean
  readonly mergedBranches: boolean
}

export interface Cleaning {
  readonly project: Project
  readonly folder: RunFolder
  readonly state: RunState
  readonly options: CleanOptions
}

export const nothing: Cleaned = { type: 'nothing' }

export function kept(reason: string): Cleaned & { readonly type: 'kept' } {
  return { type: 'kept', reason }
}

export function isOver({ status }: RunState): boolean {
  return endedStatuses.includes(status)
}
