import type { Captured, PipedCommand } from '../platform/capture.ts'
import { git, gitCommand, type GitOptions } from './host-git.ts'

/**
 * Git on what an agent can write: the worktree and the private git directory. Every such call comes through this
 * file, so that a jail has one place to go. Whatever touches files or objects runs on configuration of ours (the
 * engine's directory, or a private one that no agent has had yet), so a planted hook, filter or driver has no
 * command to run. In a private directory that an agent has had, only rev-parse and rev-list are run. What a nested
 * repository's own configuration says is not ours: git cannot start itself there, and fails rather than enter.
 */
export async function gitInAgentSpace(args: readonly string[], options: GitOptions): Promise<Captured> {
  return git(args, confined(options))
}

/** The same command unstarted, for a pipe. */
export function agentSpaceCommand(args: readonly string[], options: GitOptions): PipedCommand {
  return gitCommand(args, confined(options))
}

function confined(options: GitOptions): GitOptions {
  return { mayStartPrograms: false, ...options }
}
