import { join } from 'node:path'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { readTextIfPresent } from '../platform/files.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import { git } from './host-git.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/**
 * `git sparse-checkout`, typed in the worktree, takes files away that stay in the branch. The engine's index does not
 * know of it: they would be taken for deleted.
 */
export async function requireWhole(task: TaskWorkspace): Promise<void> {
  const { registration, engineDir, worktree, run } = task
  const [theirs, ours] = await Promise.all([registration, engineDir].map(patternsIn))
  if (theirs === undefined || theirs === ours) return
  const missing = await firstMissing(task)
  if (missing === undefined) return
  throw new FailureError({
    code: 'worktree.narrowed',
    message: `Files of ${task.branch} were taken out of ${worktree} by git sparse-checkout, such as ${missing}`,
    next: `git -C ${shellWord(worktree)} sparse-checkout disable && baton resume ${run}`,
    exitCode: exitCodes.waiting,
  })
}

function patternsIn(gitDir: string): Promise<string | undefined> {
  return readTextIfPresent(join(gitDir, 'info', 'sparse-checkout'))
}

/** Left out of the worktree in a person's index, and not in the engine's. */
async function firstMissing({
  engineDir,
  registration,
  worktree,
}: TaskWorkspace): Promise<string | undefined> {
  const [theirs, ours] = await Promise.all([
    leftOut(engineDir, join(registration, 'index')),
    leftOut(engineDir, join(engineDir, 'index')),
  ])
  const known = new Set(ours)
  for (const path of theirs) {
    if (!known.has(path) && (await lstatIfThere(join(worktree, path))) === undefined) return path
  }
  return undefined
}

async function leftOut(gitDir: string, indexFile: string): Promise<string[]> {
  const { code, stdout } = await git(['ls-files', '-t', '-z'], { gitDir, indexFile, allowFailure: true })
  if (code !== 0) return []
  const lines = stdout.toString().split('\0')
  return lines.flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : []))
}
