// Names that a workflow may use without having defined them.

/** Where a route may lead besides steps. */
export const reservedTargets = ['end', 'fail', 'ask', 'continue', 'author'] as const

/** What `reads` may name besides steps. */
export const builtInReads = ['diff', 'conflicts'] as const

/** Variables that exist in every text of a workflow, beside its inputs, paths and steps. */
export const runVariables = [
  'task',
  'task_id',
  'slug',
  'feat',
  'branch',
  'base',
  'worktree',
  'run',
  'mode',
] as const

/** Variables that exist where a step speaks: in says, writes, with, emits. */
export const stepVariables = [
  ...[
    'step',
    'role',
    'n',
    'iteration',
    'writes',
    'commit',
    'feedback',
    'reason',
    'label',
    'outcome',
    'answer',
  ],
  ...['item', 'question', 'count', 'merge_command', 'pull_request', 'gate', 'level', 'score', 'issues'],
  ...['changed', 'repo_summary', 'context_files'],
] as const
