import type { Attempt } from '../model/durable.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Agreed, GateReport, StepRequest } from '../model/step-result.ts'
import type { GateSpec } from '../model/workflow.ts'
import { expandValue } from '../model/template.ts'
import { absentPaths } from '../git/branch-changes.ts'
import { conflictMarkers } from '../git/conflict-markers.ts'
import { changedPaths, isAncestor, readBlob } from '../git/facts.ts'
import { claimedPaths } from '../gates/checklist.ts'
import { nothingCollected } from '../gates/gate.ts'
import type { GateFacts, Need } from '../gates/gate.ts'
import { judgeGates, namedGates, needsOf } from '../gates/judge-gates.ts'
import { plannedPaths } from '../gates/planned-items.ts'
import { whyNotInside } from '../platform/inside-file.ts'
import { together } from '../platform/together.ts'
import { branchFacts } from './branch-facts.ts'
import type { KeptWork } from './keep-work.ts'
import { cleanTestFacts, testFacts } from './run-tests.ts'
import type { TestRun } from './run-tests.ts'
import type { StartingPoint } from './starting-point.ts'
import { inWorkspace, workspaceOf } from './workspace.ts'
import type { Site } from './workplace.ts'

export interface GateWork {
  readonly request: StepRequest
  readonly start: StartingPoint
  readonly answer: JsonObject
  readonly work: KeptWork & { type: 'kept' }
  readonly dir: string
}

/** Collects the facts that the step's gates need, from the main repository and by running things, then judges. */
export async function checkGates(site: Site, gateWork: GateWork, attempt: Attempt): Promise<GateReport[]> {
  const { request, start, answer, work } = gateWork
  const gates = namedGates(request.step.gates).map((gate) => filledIn(gate, request.values))
  const needs = needsOf(gates)
  const [facts, told] = await together([
    branchGateFacts(site, { ...groundOf(gateWork), needs }, attempt),
    stepFacts(site, gateWork, needs),
  ])
  const own: GateFacts = {
    ...facts,
    ...told,
    ...{ answer, commits: work.commits, byHand: start.byHand === true },
    documents: [...facts.documents, ...work.writes],
    places: needs.has('places') ? await placesOf(site, gates, gateWork) : {},
  }
  const absent = needs.has('paths') ? await absentPaths(site.repo, work.tip, claimedBy(gates, own)) : []
  return judgeGates(gates, { ...own, absent })
}

/** What git tells of the step's commits, which nothing that runs meanwhile can change. */
async function stepFacts(
  site: Site,
  gateWork: GateWork,
  needs: ReadonlySet<Need>,
): Promise<Pick<GateFacts, 'artifacts' | 'markers' | 'changes' | 'stepChanges' | 'merged'>> {
  const { request, start, work } = gateWork
  const [artifacts, markers, changes, changed, merged] = await together([
    needs.has('artifacts') ? artifactTexts(site, work) : nothing({}),
    // Of the whole merge: markers that an earlier round has committed are still markers.
    needs.has('markers')
      ? conflictMarkers(site.repo, request.mergeFrom ?? start.tip, work.tip)
      : nothing<string[]>([]),
    needs.has('changes') ? changesOf(site, gateWork) : nothing(0),
    needs.has('step_changes') ? stepChanges(site, gateWork) : nothing<GateFacts['stepChanges']>([]),
    needs.has('merged') ? isMerged(site, gateWork) : nothing(undefined),
  ])
  return { artifacts, markers, changes, stepChanges: changed, ...(merged === undefined ? {} : { merged }) }
}

async function nothing<T>(value: T): Promise<T> {
  return value
}

/** A branch as it stands, and what it is held against: all that a step without an agent can be judged by. */
export interface Ground extends TestRun {
  readonly values: JsonObject
  readonly agreed: Agreed
  readonly needs: ReadonlySet<Need>
}

export async function branchGateFacts(site: Site, ground: Ground, attempt: Attempt): Promise<GateFacts> {
  const { needs, values } = ground
  const docs = site.workflow.paths['docs'] === undefined ? '' : textOf(values['docs'])
  // Git reads what is committed while the tests run on it.
  const [branch, item, tests] = await together([
    branchFacts(site, ground),
    itemFacts(site, ground),
    needs.has('tests') ? testFacts(site, ground, attempt) : nothing(undefined),
  ])
  return {
    ...{ ...nothingCollected, ...branch, ...item },
    documents: docs === '' ? [] : [docs],
    ...(tests ? { tests } : {}),
    ...(needs.has('clean_tests') ? { cleanTests: await cleanTestFacts(site, ground, attempt) } : {}),
  }
}

/** What came of the item that the step stands in, told by git and not by the answers. */
async function itemFacts(site: Site, { needs, agreed, tip }: Ground): Promise<Partial<GateFacts>> {
  const evidence = [...new Set(agreed.evidence ?? [])]
  const changed = needs.has('since') ? await changedPaths(site.task, agreed.since || site.start, tip) : []
  return {
    since: changed.map(({ path }) => path),
    evidence,
    absentEvidence: needs.has('evidence') ? await absentPaths(site.repo, tip, evidence) : [],
    ...(agreed.items ? { items: agreed.items } : {}),
  }
}

function groundOf({ request, start, work, dir }: GateWork): Omit<Ground, 'needs'> {
  const { step, key, values, agreed, deadline, runDeadline } = request
  return {
    ...{ step: step.id, key, tip: work.tip, at: start.at, dir, values, agreed },
    ...(deadline === undefined ? {} : { deadline }),
    ...(runDeadline === undefined ? {} : { runDeadline }),
  }
}

function claimedBy(gates: readonly GateSpec[], facts: GateFacts): string[] {
  return gates
    .filter((gate) => needsOf([gate]).has('paths'))
    .flatMap((gate) => claimedPaths(facts, gate.parameters))
}

/** Of the agent's own commits: what it left for the engine to commit is no commit of its own. */
async function changesOf(site: Site, { start, work }: GateWork): Promise<number> {
  const changed = await changedPaths(site.task, start.tip, work.commits.at(-1) ?? start.tip)
  return changed.filter(({ path }) => !work.writes.includes(path)).length
}

/** A parameter may be a variable: what the engine knows, and the answer has to agree with. */
function filledIn(gate: GateSpec, values: JsonObject): GateSpec {
  const parameters = expandValue(gate.parameters, values)
  return isJsonObject(parameters) ? { ...gate, parameters } : gate
}

/** Planned paths that could not be written: below a link, where a folder is. */
async function placesOf(
  site: Site,
  gates: readonly GateSpec[],
  { request, answer }: GateWork,
): Promise<Record<string, string>> {
  const folder = workspaceOf(request.workflow, request.values)
  const found: Record<string, string> = {}
  for (const { name, parameters } of gates) {
    if (!needsOf([{ name, parameters }]).has('places')) continue
    for (const path of plannedPaths(answer, parameters[name])) {
      const reason = await whyNotInside(site.task.worktree, inWorkspace(folder, path))
      if (reason !== undefined) found[path] = reason
    }
  }
  return found
}

async function stepChanges(site: Site, { start, work }: GateWork): Promise<GateFacts['stepChanges']> {
  const changed = await changedPaths(site.task, start.tip, work.tip)
  return changed.map(({ path, change }) => ({ path, isNew: change === 'added' }))
}

async function isMerged(site: Site, { request, work }: GateWork): Promise<boolean> {
  return request.mergeHead !== undefined && (await isAncestor(site.repo, request.mergeHead, work.tip))
}

async function artifactTexts(site: Site, work: GateWork['work']): Promise<Record<string, string>> {
  const texts: [string, string][] = []
  for (const path of work.writes) texts.push([path, (await readBlob(site.repo, work.tip, path)) ?? ''])
  return Object.fromEntries(texts)
}
