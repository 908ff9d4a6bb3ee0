import { gitOutOfTurn } from './agent-space.ts'
import type { TaskWorkspace } from './task-workspace.ts'
import type { Person } from './user-settings.ts'

/** Who commits what the engine does itself; the role is named in a trailer. */
export const engineAuthor: Person = { name: 'Baton', email: 'baton@localhost.invalid' }

export interface CommitContent {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: Person
  /** ISO 8601, from the journal and not from the clock: the same step gives the same commit. */
  readonly date: string
}

/** Writes the commit into the engine's git directory; no ref moves. */
export async function commitTree(task: TaskWorkspace, content: CommitContent): Promise<string> {
  const parents = content.parents.flatMap((parent) => ['-p', parent])
  const { stdout } = await gitOutOfTurn(
    ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', content.tree],
    {
      gitDir: task.engineDir,
      input: content.message,
      env: authorship(content),
    },
  )
  return stdout.toString().trim()
}

export function authorship({ author, date }: Pick<CommitContent, 'author' | 'date'>): Record<string, string> {
  const at = `@${Math.floor(Date.parse(date) / 1000)} +0000`
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_COMMITTER_DATE: at,
  }
}
