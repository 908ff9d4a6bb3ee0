import { join, posix } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { expand } from '../model/template.ts'
import type { Workflow } from '../model/workflow.ts'
import { changedPaths, treeOf } from '../git/facts.ts'
import { commitTree, engineAuthor } from '../git/commit.ts'
import { importCommits, nextSnapshotRef } from '../git/import.ts'
import { restoreTree } from '../git/restore.ts'
import { unlessMissing } from '../platform/errno.ts'
import { moveInside } from '../platform/inside-file.ts'
import { lstat, readdir, rmdir } from '../platform/quick-files.ts'
import type { ActionVisit } from './action-visit.ts'
import { movesOf } from './archive-moves.ts'
import type { Performed } from './agent-step.ts'
import { currentBase } from './current-base.ts'
import { commitMessage } from './messages.ts'
import { startingPoint } from './starting-point.ts'
import type { StartingPoint } from './starting-point.ts'
import { moveOrStop } from './move-branch.ts'

type Archived = { readonly tip: string; readonly tree: string; readonly moved: readonly string[] }

/** Moves the documents that this branch added out of the active folders, as the last commit on the branch. */
export async function archiveDocuments(context: DurableContext, visit: ActionVisit): Promise<Performed> {
  const { site, request, last } = visit
  const { key, step } = request
  const start = await startingPoint(context, site, { key, last })
  const { tip, tree, moved } = await context.step<Archived>(`${key}/archive`, () => archive(visit, start))
  if (tip !== start.tip) {
    const data = { step: step.id, commit: tip, by: 'engine', moved }
    await context.record(`${key}/commit`, { type: 'commit.made', role: 'ORCHESTRATOR', data })
  }
  const facts = { count: moved.length, committed: tip !== start.tip }
  return { result: { outcome: 'ok', writes: [], gates: [], facts, commit: tip }, last: { tip, tree } }
}

async function archive({ site, request }: ActionVisit, start: StartingPoint): Promise<Archived> {
  const base = await currentBase(site)
  const added = (await changedPaths(site.task, base, start.tip)).filter(
    ({ change, mode }) => change === 'added' && mode.startsWith('100'),
  )
  const moves = movesOf(
    added.map(({ path }) => path),
    {
      values: request.values,
      folders: activeFolders(request.workflow, request.values),
      prefix: prefixOf(request.step.with, request.values, start.at),
    },
  )
  if (moves.length === 0) return { tip: start.tip, tree: start.tree, moved: [] }
  const { worktree } = site.task
  // A crash may have cut this short: it begins where the step began.
  await restoreTree(site.task, {
    to: start.tree,
    message: 'Before archiving\n',
    date: start.at,
    step: request.key,
  })
  const moved: string[] = []
  for (const { from, to } of moves) {
    const free = await freePath(worktree, to)
    await moveInside(worktree, from, free)
    await removeIfEmpty(join(worktree, posix.dirname(from)))
    moved.push(free)
  }
  const tree = await treeOf(site.task)
  const message = commitMessage(site, request, { title: 'ORCHESTRATOR', label: `${moves.length} documents` })
  const commit = await commitTree(site.task, {
    tree,
    parents: [start.tip],
    message,
    author: engineAuthor,
    date: start.at,
  })
  const snapshot = await nextSnapshotRef(site.task)
  const imported = await importCommits(site.task, {
    from: site.task.engineDir,
    tip: commit,
    last: start.tip,
    snapshot,
  })
  if (imported.type === 'refused') throw new Error(`the engine's own commit was refused: ${imported.reason}`)
  await moveOrStop(site, { from: start.tip, to: commit })
  return { tip: commit, tree, moved }
}

/** An earlier task may have had a document of the same name: neither is lost. */
async function freePath(worktree: string, path: string): Promise<string> {
  const { dir, name, ext } = posix.parse(path)
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : posix.join(dir, `${name}-${number}${ext}`)
    if ((await unlessMissing(lstat(join(worktree, candidate)))) === undefined) return candidate
  }
}

async function removeIfEmpty(dir: string): Promise<void> {
  const names = await unlessMissing(readdir(dir))
  if (names?.length === 0) await rmdir(dir)
}

function prefixOf(parameters: JsonObject, values: JsonObject, at: string): string {
  return parameters['prefix'] === 'date' ? `${at.slice(0, 10)}_${textOf(values['feat'])}_` : ''
}

/** The folders that the workflow's own steps write their documents to. */
function activeFolders({ steps }: Workflow, values: JsonObject): string[] {
  const paths = steps.flatMap(({ writes }) => writes.map(({ path }) => path))
  return [...new Set(paths.map((path) => posix.dirname(expand(path, { ...values, n: 1, item: {} }))))]
}
