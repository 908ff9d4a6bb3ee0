import { setTimeout as sleep } from 'node:timers/promises'
import type { Captured } from '../platform/capture.ts'
import { discoveryGit, succeeded } from './host-git.ts'
import type { Repository } from './repository.ts'

/** The wait between two tries, and how many there are. */
const [pauseMs, mostTries] = [100, 50]

/** Registers an empty folder as worktree, with nothing checked out. */
export async function registerWorktree(repo: Repository, worktree: string, branch: string): Promise<void> {
  const add = ['worktree', 'add', '--quiet', '--force', '--no-checkout', worktree, branch]
  for (let tries = 1; ; tries++) {
    const result = await discoveryGit(add, { cwd: repo.root, env: process.env })
    if (!isHalfMade(result) || tries === mostTries) {
      succeeded(add, result)
      return
    }
    await sleep(pauseMs)
  }
}

/** Git reads the registrations of all worktrees, and has no lock for the one that another process is writing. */
function isHalfMade({ code, stderr }: Captured): boolean {
  return code !== 0 && /failed to read .*worktrees\/[^/]+\/commondir/.test(stderr)
}
