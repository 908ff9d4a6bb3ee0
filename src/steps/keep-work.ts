import type { JsonObject } from '../model/json.ts'
import { textOf } from '../model/json.ts'
import type { StepRequest } from '../model/step-result.ts'
import { matchesAny } from '../model/glob.ts'
import type { AgentStep, WriteSpec } from '../model/workflow.ts'
import { commitTree, engineAuthor } from '../git/commit.ts'
import { treeIdOf } from '../git/commit-tree-id.ts'
import { isAncestor } from '../git/facts.ts'
import { treeUpon } from '../git/worktree-tree.ts'
import { importCommits, nextSnapshotRef } from '../git/import.ts'
import { beginTree } from '../git/look-ahead.ts'
import { privateDirPath } from '../git/private-dir.ts'
import { restoreTree } from '../git/restore.ts'
import { namedGates, needsOf } from '../gates/judge-gates.ts'
import { readInside, UnsafePathError, writeInside } from '../platform/inside-file.ts'
import { together } from '../platform/together.ts'
import { backlogItems, withItems } from './backlog.ts'
import { decisionFile } from './decision-file.ts'
import { commitMessage } from './messages.ts'
import type { CallFacts } from './next-call.ts'
import { draftSide } from './own-side.ts'
import { writesOf } from './prompt-for.ts'
import type { StartingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'
import { standing } from './written-files.ts'

const largestDocument = 5_000_000
const mostCommits = 1000

export interface Work {
  readonly request: StepRequest & { readonly step: AgentStep }
  readonly start: StartingPoint
  readonly answer: JsonObject
  readonly facts: CallFacts
  readonly label: string
  /** Provider and model that gave the answer. */
  readonly by: string
  readonly privateName: string
}

export type KeptWork =
  | {
      readonly type: 'kept'
      readonly tip: string
      readonly tree: string
      /** Commits that the agent made itself, newest last. */
      readonly commits: readonly string[]
      /** The engine's own commit of this step, where there was something to commit. */
      readonly commit: string
      readonly writes: readonly string[]
      readonly backlog: readonly string[]
    }
  | { readonly type: 'refused'; readonly label: string; readonly reason: string }

/** Files the decision and the backlog, commits, and brings the commits into the main repository under a snapshot ref. */
export async function keepWork(site: Site, work: Work): Promise<KeptWork> {
  const filed = await fileDocuments(site, work)
  if (filed.type === 'refused') return putBack(site, work, filed)
  const brought = await bringAgentCommits(site, work)
  if (brought.type === 'refused') return putBack(site, work, brought)
  const isSame = !filed.changed && brought.tip === work.start.tip
  const [committed, tree] = await together([
    treeIdOf(site.repo, brought.tip),
    isSame ? Promise.resolve(work.facts.tree) : treeUpon(site.task, brought.tip),
  ])
  const isCommitted = committed === tree
  // Unless tests run first, nobody works there until the next step: what that begins with is looked at on the way.
  if (!isCommitted && !testsFollow(work)) beginTree(site.task)
  const rest = isCommitted ? '' : await commitRest(site, work, { tree, parent: brought.tip })
  if (typeof rest !== 'string') return putBack(site, work, rest)
  const { writes, backlog } = filed
  const tip = rest === '' ? brought.tip : rest
  return { type: 'kept', tip, tree, commits: brought.commits, commit: rest, writes, backlog }
}

function testsFollow({ request }: Work): boolean {
  const needs = needsOf(namedGates(request.step.gates))
  return needs.has('tests') || needs.has('clean_tests')
}

type Filed = {
  readonly type: 'filed'
  readonly writes: readonly string[]
  readonly backlog: readonly string[]
  readonly changed: boolean
}

/** A link or a folder where the engine's own file should be is the agent's doing, or the project's: refused, not followed. */
async function fileDocuments(site: Site, work: Work): Promise<Filed | (KeptWork & { type: 'refused' })> {
  const { request, facts } = work
  const writes = writesOf(request)
  const kept = await standing(site, writes)
  const there = [...new Set([...facts.written, ...kept])]
  const unwritten = writes.filter(({ path, orAnswer }) => orAnswer && !there.includes(path))
  try {
    for (const { path } of unwritten)
      await writeInside(site.task.worktree, path, documentFor(path, work), { maxBytes: largestDocument })
    const backlog = await fileBacklog(site, work)
    const changed = unwritten.length > 0 || backlog.length > 0
    return { type: 'filed', writes: inOrder(writes, there), backlog, changed }
  } catch (error) {
    if (!(error instanceof UnsafePathError)) throw error
    return { type: 'refused', label: 'path', reason: `'${error.path}' cannot be written: ${error.message}` }
  }
}

/** What stands where each of the step's `writes` says, in their order. */
function inOrder(writes: readonly WriteSpec[], there: readonly string[]): string[] {
  return writes.flatMap(({ path, orAnswer }) => {
    const found = there.filter((one) => matchesAny(one, [path]))
    return found.length === 0 && orAnswer ? [path] : found
  })
}

/** In the form that its name promises. */
function documentFor(path: string, work: Work): string {
  return path.endsWith('.json') ? `${JSON.stringify(work.answer, null, 2)}\n` : decision(work)
}

function decision({ request, answer, label, start, by }: Work): string {
  const { step, visit, values } = request
  return decisionFile({
    title: step.role.title,
    step: step.id,
    round: visit,
    label,
    model: by,
    time: start.at,
    task: textOf(values['task']),
    answer,
  })
}

/** Only a workflow that names a backlog file has one; the journal keeps the items in any case. */
async function fileBacklog(site: Site, { request, answer, start }: Work): Promise<string[]> {
  const items = backlogItems(answer)
  const path = request.values['backlog']
  if (items.length === 0 || typeof path !== 'string' || request.workflow.paths['backlog'] === undefined)
    return items
  const { worktree } = site.task
  const before = await readInside(worktree, path, { maxBytes: largestDocument })
  const source = { title: request.step.role.title, run: site.folder.id, date: start.at.slice(0, 10) }
  await writeInside(worktree, path, withItems(before, items, source), { maxBytes: largestDocument })
  return items
}

type Brought = { readonly type: 'brought'; readonly tip: string; readonly commits: readonly string[] }

async function bringAgentCommits(
  site: Site,
  work: Work,
): Promise<Brought | (KeptWork & { type: 'refused' })> {
  const { request, facts, start, privateName } = work
  if (request.step.role.commits !== 'agent' || facts.tip === start.tip) return unmerged(site, work, start.tip)
  const imported = await importCommits(site.task, {
    ...{ from: privateDirPath(site.task, privateName), tip: facts.tip, last: start.tip },
    ...(request.mergeHead === undefined ? {} : { base: request.mergeHead }),
    snapshot: nextSnapshotRef(site.task),
  })
  if (imported.type === 'refused') return { type: 'refused', label: 'import', reason: imported.reason }
  const commits = imported.commits.map(({ id }) => id).slice(-mostCommits)
  const merged = await unmerged(site, work, facts.tip)
  return merged.type === 'refused' ? merged : { type: 'brought', tip: facts.tip, commits }
}

/** A merge that was not committed must not become an ordinary commit: the branch would forget its other parent. */
async function unmerged(
  site: Site,
  { request }: Work,
  tip: string,
): Promise<Brought | (KeptWork & { type: 'refused' })> {
  if (request.mergeHead === undefined || (await isAncestor(site.repo, request.mergeHead, tip))) {
    return { type: 'brought', tip, commits: [] }
  }
  return { type: 'refused', label: 'merge_commit', reason: 'the merge was not committed' }
}

/** Its id; refused where the files themselves are not what may cross, such as a .gitmodules that carries commands. */
async function commitRest(
  site: Site,
  work: Work,
  at: { tree: string; parent: string },
): Promise<string | (KeptWork & { type: 'refused' })> {
  const { request, start, label } = work
  const message = commitMessage(site, request, { title: request.step.role.title, label })
  const content = { tree: at.tree, parents: [at.parent], message, author: engineAuthor, date: start.at }
  const commit = await commitTree(site.task, content)
  const [from, snapshot] = [site.task.engineDir, nextSnapshotRef(site.task)]
  const meanwhile = async (): Promise<void> => (testsFollow(work) ? undefined : draftSide(site))
  const imported = await importCommits(site.task, { from, tip: commit, last: at.parent, snapshot, meanwhile })
  return imported.type === 'imported' ? commit : { ...imported, label: 'import' }
}

async function putBack(site: Site, work: Work, refusal: KeptWork & { type: 'refused' }): Promise<KeptWork> {
  const { request, start } = work
  const message = `${request.step.role.title}: ${request.step.id}, refused (${refusal.label}), undone\n`
  await restoreTree(site.task, { to: start.tree, message, date: start.at, step: request.key })
  return refusal
}
