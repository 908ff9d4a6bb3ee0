// Files that a task takes as they are, whatever their attributes say about line endings, encoding or ident.
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readTextIfPresent } from '../platform/files.ts'
import { gitInAgentSpace } from './agent-space.ts'
import { attributeLine } from './c-quote.ts'
import { onWorktree } from './on-worktree.ts'
import type { Registered } from './registration.ts'
import type { Repository } from './repository.ts'

type Task = Pick<Registered, 'engineDir' | 'worktree'> & {
  readonly repo: Pick<Repository, 'config' | 'gitDir'>
}

/** From now on, for the engine and for agents that are started later. */
export async function takeByteForByte(
  { engineDir }: Pick<Registered, 'engineDir'>,
  files: readonly (string | Buffer)[],
): Promise<void> {
  const lines = files.map((path) => attributeLine(path, ['-text', '-ident', '-working-tree-encoding']))
  await appendFile(join(engineDir, 'info', 'attributes'), lines.join(''))
}

/**
 * Right after the checkout nothing has changed. Git may see that otherwise: a file committed with CRLF before it
 * was marked as text would be converted by the next `add`, and so be in a commit of somebody who never touched it.
 */
export async function leaveUntouched(task: Task): Promise<void> {
  if (!(await mayConvert(task))) return
  const options = { ...onWorktree(task), allowFailure: true }
  const { code } = await gitInAgentSpace(['update-index', '--ignore-submodules', '--refresh'], options)
  if (code === 0) return
  const args = ['diff-files', '--name-only', '-z', '--ignore-submodules=all']
  const { stdout } = await gitInAgentSpace(args, onWorktree(task))
  const files = stdout.toString('latin1').split('\0').slice(0, -1)
  await takeByteForByte(
    task,
    files.map((file) => Buffer.from(file, 'latin1')),
  )
  await gitInAgentSpace(['checkout-index', '-f', '-u', '-z', '--stdin'], {
    ...onWorktree(task),
    input: stdout,
  })
}

/** Where nothing speaks of line endings, encodings or filters, no file has to be read again to know. */
async function mayConvert(task: Task): Promise<boolean> {
  const { config, gitDir } = task.repo
  if (Object.keys(config).some((key) => /^(core\.(autocrlf|eol)|filter\.)/i.test(key))) return true
  if ((await readTextIfPresent(join(gitDir, 'info', 'attributes'))) !== undefined) return true
  const { stdout } = await gitInAgentSpace(
    ['ls-files', '-z', '--', ':(glob)**/.gitattributes'],
    onWorktree(task),
  )
  return stdout.length > 0
}
