import { join } from 'node:path'
import { loadFrozen } from '../config/freeze.ts'
import { dropDraft } from '../git/private-dir.ts'
import type { Repository } from '../git/repository.ts'
import { quarantineName } from '../git/workspace-record.ts'
import type { RunGlance } from '../journal/glance.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import { removeDiscarded } from '../platform/discard.ts'
import { readHolder, takeLock } from '../platform/lock.ts'
import { writeReport } from './goal-of.ts'

/**
 * A process that was killed right after the run's last fact has left its lock behind, what it was about to remove,
 * and perhaps a report that is not there or tells of an earlier end. There is nothing to resume, but all that to do.
 */
export async function tidyEnded(
  folder: RunFolder,
  { digest }: Pick<RunGlance, 'digest'>,
  { objectsDir }: Pick<Repository, 'objectsDir'>,
): Promise<void> {
  if ((await readHolder(folder.lock))?.alive !== false) return
  const lock = await takeLock(folder.lock)
  if (lock.type !== 'taken') return
  try {
    await removeDiscarded(join(folder.git, 'private'))
    await removeDiscarded(objectsDir, `${quarantineName(folder.id)}.`)
    await dropDraft({ stateDir: folder.git })
    await writeReport(folder, (await loadFrozen(folder.frozen, { digest })).loaded.workflow)
  } finally {
    await lock.release()
  }
}
