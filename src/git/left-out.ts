import { git } from './host-git.ts'
import type { Repository } from './repository.ts'

/**
 * How many commits people have checked out that a branch which begins at `start` does not have. Files that are changed
 * and not committed are not looked at: to compare them git would run the user's filters.
 */
export async function commitsLeftOut({ head, gitDir }: Repository, start: string): Promise<number> {
  if (head.type === 'unborn' || head.commit === start) return 0
  const range = `${start}..${head.commit}`
  const { code, stdout } = await git(['rev-list', '--count', range, '--'], { gitDir, allowFailure: true })
  return code === 0 ? Number(stdout.toString()) : 0
}
