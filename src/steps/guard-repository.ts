import { dirname } from 'node:path'
import type { Attempt } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { branchesOfRuns, differences, keepBoth, keptAs, watchRepository } from '../git/watched.ts'
import type { Difference } from '../git/watched.ts'
import type { Workplace } from './workplace.ts'

/** Values of the journal stay small. */
const mostNamed = 20

type Guarded = Pick<Workplace, 'repo' | 'folder' | 'walls' | 'settings'>

/**
 * Compares the main repository before and after something that runs what an agent wrote. People work in it meanwhile.
 * Behind walls a difference cannot be the agent's, and is only noted; with the walls switched off nobody knows, and the
 * run stops. Nothing is put back. Scripted agents, which need no walls, do what the person wrote.
 */
export async function guarded<T>(
  site: Guarded,
  { note }: Partial<Pick<Attempt, 'note'>>,
  act: () => Promise<T>,
): Promise<T> {
  const isOpen = site.walls.kind === 'none'
  if (isOpen ? site.settings.sandbox !== 'off' : note === undefined) return act()
  const before = await watchRepository(site.repo)
  const result = await act()
  const all = differences(before, await watchRepository(site.repo))
  const runs = all.length === 0 ? new Set() : await branchesOfRuns(dirname(site.folder.dir))
  const found = all.filter(({ name }) => !runs.has(name))
  if (found.length === 0) return result
  if (isOpen) throw await stopped(site, found)
  const names = found.slice(0, mostNamed).map(({ name }) => name)
  await note?.(engineEvent('repository.changed', { names, count: found.length }))
  return result
}

async function stopped({ repo, folder }: Guarded, found: readonly Difference[]): Promise<FailureError> {
  const kept = await keepBoth(repo, folder.id, found.slice(0, mostNamed))
  const [first = { name: '' }] = found
  const others = found.length > 1 ? `, and ${found.length - 1} more` : ''
  return new FailureError({
    code: 'repository.changed',
    message: `While a step worked without walls, ${first.name} of the repository changed (${change(first)}${others}). Nothing was put back; both values are kept: git for-each-ref ${kept}`,
    next: `If that was not you: ${commandToRestore(first, { gitDir: repo.gitDir, kept })}; then: baton resume ${folder.id}`,
    exitCode: exitCodes.security,
  })
}

function change({ name, before, after }: Difference): string {
  if (before === undefined) return 'new'
  if (after === undefined) return 'gone'
  return name.startsWith('refs/') ? `${before.slice(0, 12)} to ${after.slice(0, 12)}` : 'another text'
}

interface Kept {
  readonly gitDir: string
  readonly kept: string
}

function commandToRestore({ name, before, after }: Difference, { gitDir, kept }: Kept): string {
  if (name.startsWith('refs/'))
    return before === undefined
      ? `git update-ref -d ${shellWord(name)} ${after ?? ''}`
      : `git update-ref ${shellWord(name)} ${before} ${after ?? ''}`.trim()
  const file = `${gitDir}/${name}`
  return before === undefined
    ? `rm ${shellWord(file)}`
    : `git show ${keptAs(kept, name, 'before')} > ${shellWord(file)}`
}
