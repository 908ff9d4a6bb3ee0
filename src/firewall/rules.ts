import type { OwnRule } from '../model/firewall-rule.ts'

/** Everything that a decision about one role's tool call rests on. */
export interface Rules {
  readonly role: string
  /** Of the role's capabilities: looking, editing, or editing and committing. */
  readonly set: 'read-only' | 'edit' | 'full'
  /** Any program, or only those that look. */
  readonly shell: boolean
  readonly web: boolean
  /** Settling conflicts, which needs a merge under way as well. */
  readonly merge: boolean
  readonly merging: boolean
  /** Patterns within the worktree. */
  readonly mayWrite: readonly string[]
  readonly worktree: string
  /** Folders outside the worktree that are the call's own: its home, its inputs. */
  readonly places: readonly string[]
  readonly user: readonly OwnRule[]
  readonly project: readonly OwnRule[]
}
