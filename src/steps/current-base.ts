import { resolveCommit } from '../git/repository.ts'
import type { Site } from './workplace.ts'

/** Where the base stands now: people work on it while the agents do. */
export async function currentBase(site: Site): Promise<string> {
  const { ref, commit } = site.base
  return (ref === undefined ? undefined : await resolveCommit(site.repo, ref)) ?? commit
}
