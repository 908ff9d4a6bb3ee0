/**
 * Which runs were made in this clone. What a run has frozen is obeyed when it goes on: commands, a script, walls that
 * are down. One that came with a clone, a branch or an archive would do what its author wrote, with the rights of who
 * resumes it. The mark lies in the git directory, which none of these bring along, and holds the digest of all that
 * was frozen.
 */
import { dirname, join } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { rm } from '../platform/quick-files.ts'
import type { RunFolder } from './run-folder.ts'

interface Clone {
  readonly gitDir: string
}

/** Before the first fact: from then on the run can be resumed. */
export async function markOwnRun(clone: Clone, { id }: RunFolder, digest: string): Promise<void> {
  const path = markOf(clone, id)
  await ensureDirectory(dirname(path))
  await writeFileAtomic(path, `${digest}\n`)
}

export async function unmarkRun(clone: Clone, id: string): Promise<void> {
  await rm(markOf(clone, id), { force: true })
}

/** For whoever does what a run says, rather than to show it. */
export async function requireOwnRun(clone: Clone, folder: RunFolder, digest: string): Promise<void> {
  if ((await readTextIfPresent(markOf(clone, folder.id)))?.trimEnd() === digest) return
  throw new FailureError({
    code: 'run.foreign',
    message: `Run ${folder.id} was not made in this clone: somebody else has written what it would do.`,
    next: `Start the task anew: baton run "<task>"; if nobody needs it here: rm -r ${shellWord(folder.dir)} ${shellWord(folder.journal)}`,
  })
}

function markOf({ gitDir }: Clone, id: string): string {
  return join(gitDir, 'baton', 'runs', id)
}
