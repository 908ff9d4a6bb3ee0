import { git, gitText } from './host-git.ts'
import type { Repository } from './repository.ts'

/** Worktrees that git has written down and that are not there any more. */
export async function lostWorktrees({ gitDir }: Repository): Promise<string[]> {
  const list = await gitText(['worktree', 'list', '--porcelain', '-z'], { gitDir })
  return list
    .split('\0\0')
    .map((entry) => entry.split('\0').filter((line) => line !== ''))
    .filter((lines) => lines.some((line) => line.startsWith('prunable')))
    .map(([first = '']) => first.replace(/^worktree /, ''))
}

/** Only what git itself calls lost: one that is locked, or whose folder is there, stays. */
export async function forgetLostWorktrees({ gitDir }: Repository): Promise<void> {
  await git(['worktree', 'prune', '--expire=now'], { gitDir })
}
