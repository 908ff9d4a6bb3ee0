import { join, posix } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { expand } from '../model/template.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Workflow } from '../model/workflow.ts'
import { changedPaths, isAncestor } from '../git/facts.ts'
import { restoreTree } from '../git/restore.ts'
import { unlessMissing } from '../platform/errno.ts'
import { moveInside } from '../platform/inside-file.ts'
import { lstatIfThere, readdir, rmdir } from '../platform/quick-files.ts'
import type { ActionVisit } from './action-visit.ts'
import { folderMoves } from './archive-folder.ts'
import { movesOf } from './archive-moves.ts'
import type { Move } from './archive-moves.ts'
import type { Performed } from './agent-step.ts'
import { currentBase } from './current-base.ts'
import { commitOwn } from './engine-commit.ts'
import { commitMessage } from './messages.ts'
import type { Site } from './workplace.ts'
import { startingPoint } from './starting-point.ts'
import type { StartingPoint } from './starting-point.ts'

/** `moved` is where the files are now, `from` where each of them was. */
type Archived = {
  readonly tip: string
  readonly tree: string
  readonly moved: readonly string[]
  readonly from: readonly string[]
  /** Nothing was moved, and the branch has nothing else to deliver either. */
  readonly empty?: boolean
}

/** Moves the documents that this branch added out of the active folders, as the last commit on the branch. */
export async function archiveDocuments(context: DurableContext, visit: ActionVisit): Promise<Performed> {
  const { site, request, last } = visit
  const { key, step } = request
  const start = await startingPoint(context, site, { key, last })
  const { tip, tree, moved, from, empty } = await context.step<Archived>(`${key}/archive`, () =>
    archive(visit, start),
  )
  if (empty === true) return { result: nothingToDo(site, tip), last: { tip, tree } }
  if (tip !== start.tip) {
    const data = { step: step.id, commit: tip, by: 'engine', moved, from }
    await context.record(`${key}/commit`, { type: 'commit.made', role: 'ORCHESTRATOR', data })
  }
  const facts = { count: moved.length, committed: tip !== start.tip }
  return { result: { outcome: 'ok', writes: [], gates: [], facts, commit: tip }, last: { tip, tree } }
}

/** To hand over a branch without a change would be called a success. */
function nothingToDo({ base }: Site, commit: string): StepResult {
  const reason = `there is nothing to archive, and nothing else on the branch that '${base.name}' does not have`
  return { outcome: 'failed', label: 'nothing', reason, writes: [], gates: [], facts: { count: 0 }, commit }
}

async function archive({ site, request }: ActionVisit, start: StartingPoint): Promise<Archived> {
  const folder = request.step.with['folder']
  const moves =
    typeof folder === 'string'
      ? await folderMoves(site, { request, start, folder: expand(folder, request.values) })
      : await documentMoves(site, request, start)
  if (moves.length === 0) {
    const empty = namedDocuments(request.values) === undefined && (await isUnchanged(site, start))
    return { tip: start.tip, tree: start.tree, moved: [], from: [], ...(empty ? { empty } : {}) }
  }
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
  const message = commitMessage(site, request, { title: 'ORCHESTRATOR', label: `${moves.length} documents` })
  return { ...(await commitOwn(site, start, message)), moved, from: moves.map(({ from }) => from) }
}

async function isUnchanged(site: Site, { tip }: StartingPoint): Promise<boolean> {
  return isAncestor(site.repo, tip, await currentBase(site))
}

async function documentMoves(
  site: Site,
  request: ActionVisit['request'],
  start: StartingPoint,
): Promise<Move[]> {
  const { values, workflow, step } = request
  return movesOf(namedDocuments(values) ?? (await addedFiles(site, start)), {
    values,
    folders: activeFolders(workflow, values),
    prefix: prefixOf(step.with, values, start.at),
  })
}

/** After a merge the branch has added nothing: what an earlier run wrote is named when this one is started. */
function namedDocuments({ documents }: JsonObject): string[] | undefined {
  return isJsonObject(documents) && Array.isArray(documents['paths'])
    ? documents['paths'].map(textOf)
    : undefined
}

async function addedFiles(site: Site, start: StartingPoint): Promise<string[]> {
  const base = await currentBase(site)
  const changed = await changedPaths(site.task, base, start.tip)
  return changed
    .filter(({ change, mode }) => change === 'added' && mode.startsWith('100'))
    .map(({ path }) => path)
}

/** An earlier task may have had a document of the same name: neither is lost. */
async function freePath(worktree: string, path: string): Promise<string> {
  const { dir, name, ext } = posix.parse(path)
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : posix.join(dir, `${name}-${number}${ext}`)
    if ((await lstatIfThere(join(worktree, candidate))) === undefined) return candidate
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
