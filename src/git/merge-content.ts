// One file that two sides have changed.
import { join } from 'node:path'
import { rm } from '../platform/quick-files.ts'
import { git, gitText } from './host-git.ts'
import type { Registered } from './registration.ts'

interface Contents {
  /** Ids of blobs. */
  readonly ours: string
  readonly base: string
  readonly theirs: string
}

/** The id of both sides' changes together, in the main repository; undefined where they contradict each other. */
export async function mergeContent(
  task: Registered,
  { ours, base, theirs }: Contents,
): Promise<string | undefined> {
  const { engineDir, registration } = task
  const files: string[] = []
  try {
    for (const id of [ours, base, theirs]) {
      const { code, stdout } = await git(['unpack-file', id], { gitDir: engineDir, allowFailure: true })
      // A partial clone need not have it.
      if (code !== 0) return undefined
      files.push(join(engineDir, stdout.toString().trim()))
    }
    const { code } = await git(['merge-file', '-q', ...files], { gitDir: engineDir, allowFailure: true })
    if (code !== 0) return undefined
    // Where a person's git finds it: he does not see what only the engine has.
    return await gitText(['hash-object', '-w', '--no-filters', ...files.slice(0, 1)], {
      gitDir: registration,
    })
  } finally {
    for (const file of files) await rm(file, { force: true })
  }
}
