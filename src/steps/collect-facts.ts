import { join } from 'node:path'
import { matchesAny } from '../model/glob.ts'
import type { AgentStep, WriteSpec } from '../model/workflow.ts'
import { changedPaths } from '../git/facts.ts'
import { treeNow } from '../git/look-ahead.ts'
import { restoreTree } from '../git/restore.ts'
import { readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import type { CallFacts } from './next-call.ts'
import type { StartingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'
import { standing, writtenSince } from './written-files.ts'

const scopeFile = 'out-of-scope.json'

export interface Wanted {
  readonly step: AgentStep
  readonly start: StartingPoint
  /** The step's `writes`, variables filled in. */
  readonly writes: readonly WriteSpec[]
  readonly mayWrite: readonly string[]
  /** Folder of the call that began this try. */
  readonly dir: string
  readonly key: string
}

export type Collected =
  | { readonly type: 'facts'; readonly facts: Omit<CallFacts, 'tip'>; readonly missing: readonly string[] }
  | { readonly type: 'out_of_scope'; readonly paths: readonly string[]; readonly snapshot: string }

/** What the agent really changed: within its scope, and the artifacts among it. Never asked of the agent. */
export async function collectFacts(site: Site, wanted: Wanted): Promise<Collected> {
  const { start, writes } = wanted
  const found = await readTextIfPresent(join(wanted.dir, scopeFile))
  if (found !== undefined) return undo(site, wanted, JSON.parse(found) as string[])
  const tree = await treeNow(site.task)
  const changed = tree === start.tree ? [] : await changedPaths(site.task, start.tree, tree)
  const allowed = [...wanted.mayWrite, ...writes.map(({ path }) => path)]
  const outside = changed.map(({ path }) => path).filter((path) => !matchesAny(path, allowed))
  if (outside.length > 0) return undo(site, wanted, outside)
  const written = await writtenSince(
    site,
    wanted.dir,
    writes.map(({ path }) => path),
  )
  const kept = await standing(site, writes)
  const missing = writes
    .filter(
      ({ path, orAnswer }) => !orAnswer && ![...written, ...kept].some((one) => matchesAny(one, [path])),
    )
    .map(({ path }) => path)
  return { type: 'facts', facts: { tree, changed: changed.length, written }, missing }
}

/** A role that went out of its scope: the whole step is put back, and kept where it can be looked at. */
async function undo(
  site: Site,
  { start, step, dir, key }: Wanted,
  paths: readonly string[],
): Promise<Collected> {
  // First the finding: after a crash the undone tree would look like that of a role that kept to its scope.
  await writeFileAtomic(join(dir, scopeFile), JSON.stringify(paths.slice(0, 100)))
  const message = `${step.role.title}: ${step.id}, out of scope, undone\n`
  const snapshot = await restoreTree(site.task, { to: start.tree, message, date: start.at, step: key })
  return { type: 'out_of_scope', paths: paths.slice(0, 100), snapshot: snapshot?.ref ?? '' }
}
