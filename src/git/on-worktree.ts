import type { GitOptions } from './host-git.ts'
import type { Registered } from './registration.ts'

/** The engine's own git directory with the task's worktree: where facts come from. */
export function onWorktree(task: Pick<Registered, 'engineDir' | 'worktree'>): GitOptions {
  return { gitDir: task.engineDir, workTree: task.worktree }
}
