/** Rules that people wrote: one line each, the last that fits decides within its set. */
export interface OwnRule {
  readonly effect: 'allow' | 'deny'
  readonly on: 'shell' | 'write' | 'read' | 'web' | 'mcp' | 'tool' | 'agent'
  /** Words for `shell`, a write scope for files, a host for `web`, `server/tool` for `mcp`, a name for `tool`. */
  readonly pattern: string
  /** Roles that it is for; all when there are none. */
  readonly roles: readonly string[]
  readonly because?: string
  /** Where it stands, for people: `user:2`. */
  readonly id: string
}

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
  /** Tools of a provider that only speak to it: a list of things to do, the answer itself. */
  readonly tools: readonly string[]
  readonly user: readonly OwnRule[]
  readonly project: readonly OwnRule[]
}
