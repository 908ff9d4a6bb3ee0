import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gitInAgentSpace } from './agent-space.ts'
import { onWorktree } from './on-worktree.ts'
import type { TaskWorkspace } from './task-workspace.ts'

/** What a commit holds and nothing else, in an empty folder, with the same settings that the worktree was made with. */
export async function checkOut(task: TaskWorkspace, commit: string, folder: string): Promise<void> {
  const indexFile = join(task.engineDir, 'clean-index')
  await rm(indexFile, { force: true })
  const place = { gitDir: task.engineDir, workTree: folder, indexFile }
  await gitInAgentSpace(['read-tree', '-m', '-u', commit], place)
  await rm(indexFile, { force: true })
  // Tests that ask git find there what they find in the worktree: the task branch, tags, the remote.
  await writeFile(join(folder, '.git'), `gitdir: ${task.registration}\n`)
}

/** Folders of the worktree that git ignores as a whole. */
export async function ignoredFolders(task: TaskWorkspace): Promise<string[]> {
  const args = ['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z']
  const { stdout } = await gitInAgentSpace(args, onWorktree(task))
  return stdout
    .toString()
    .split('\0')
    .flatMap((path) => (path.endsWith('/') ? [path.slice(0, -1)] : []))
}
