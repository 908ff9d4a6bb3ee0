import { join } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { findingsIn, findingsOf } from '../model/finding.ts'
import type { Finding } from '../model/finding.ts'
import { matchesAny } from '../model/glob.ts'
import type { JsonObject } from '../model/json.ts'
import type { GateReport, StepRequest, StepResult } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import { dropPrivateDirs } from '../git/drop-private-dirs.ts'
import { readBlob } from '../git/facts.ts'
import { beginLook } from '../git/look-ahead.ts'
import { restoreTree } from '../git/restore.ts'
import { artifactWritten, withinScope } from '../gates/always.ts'
import { namedGates } from '../gates/judge-gates.ts'
import { checkGates } from './check-gates.ts'
import { conclude } from './conclude.ts'
import { converse } from './converse.ts'
import type { Conversed, Failed } from './converse.ts'
import { keepWork } from './keep-work.ts'
import type { KeptWork } from './keep-work.ts'
import { moveOrStop } from './move-branch.ts'
import type { Move } from './move-branch.ts'
import type { CallFacts, CallResult } from './next-call.ts'
import { noteGates } from './note-gates.ts'
import { draftSide, privatePrefix } from './own-side.ts'
import { startingPoint } from './starting-point.ts'
import type { LastKnown, StartingPoint } from './starting-point.ts'
import { writesOf } from './prompt-for.ts'
import { verdictOf } from './validate-answer.ts'
import { stepFolder } from './workplace.ts'
import type { Site } from './workplace.ts'

/** Values of the journal stay small. */
const mostFindings = 30

export type Performed = { readonly result: StepResult; readonly last: LastKnown }

export interface AgentVisit {
  readonly site: Site
  readonly request: StepRequest & { readonly step: AgentStep }
  readonly last: LastKnown
}

/** Prompt, agent, parse, validate, commit, gates, branch: in this order, each recorded before the next. */
export async function performAgent(context: DurableContext, visit: AgentVisit): Promise<Performed> {
  const { site, request, last } = visit
  const { key } = request
  const start = await startingPoint(context, site, { key, last, meanwhile: () => draftSide(site) })
  const said = await converse(context, { site, request, start })
  const performed =
    said.type === 'failed'
      ? await failed(context, { ...visit, start }, said)
      : await settle(context, { ...visit, start }, said)
  await context.repeatable(`${key}/tidy`, () => dropPrivateDirs(site.task, privatePrefix(key)))
  return { ...performed, result: { ...performed.result, spent: said.spent } }
}

type Begun = AgentVisit & { readonly start: StartingPoint }

/** With a valid answer in hand: keep the work, check it, move the branch. */
async function settle(
  context: DurableContext,
  visit: Begun,
  said: Conversed & { type: 'answered' },
): Promise<Performed> {
  const { site, request, start } = visit
  const { key, step } = request
  const { answer, facts } = said.result
  const verdict = verdictOf(step.role, answer)
  const label = verdict.label ?? ''
  const work = await context.step<KeptWork>(`${key}/work`, () =>
    keepWork(site, {
      request,
      start,
      answer,
      facts,
      label,
      by: playerOf(said.result, step.role),
      privateName: said.privateName,
    }),
  )
  if (work.type === 'refused') return refused(context, visit, { work, answer, verdict })
  await noteWork(context, visit, work)

  await noteGates(context, request, alwaysOn(request, facts, work))
  const reports = verdict.outcome === 'ok' ? await gatesOf(context, visit, { start, answer, work }) : []
  await moveTo(context, visit, { from: start.tip, to: work.tip })
  const result = conclude(step, { answer, verdict, work, reports })
  const findings = result.outcome === 'revise' ? await findingsFrom(context, visit, { answer, work }) : []
  return {
    result: findings.length === 0 ? result : { ...result, facts: { ...result.facts, findings } },
    last: { tip: work.tip, tree: work.tree },
  }
}

function playerOf({ by }: CallResult, { provider, model }: AgentStep['role']): string {
  const player = by ?? { provider, ...(model === undefined ? {} : { model }) }
  return player.model === undefined ? player.provider : `${player.provider} ${player.model}`
}

type Kept = KeptWork & { type: 'kept' }

/** What holds for every step. A step that does not keep to it gives no usable answer, so here it is met. */
function alwaysOn(request: StepRequest, { changed, written }: CallFacts, { writes }: Kept): GateReport[] {
  const left = writesOf(request).filter(({ orKept }) => orKept === true)
  const patterns = left.map(({ path }) => path)
  const filed = writes.filter((path) => !written.includes(path) && !matchesAny(path, patterns))
  const artifact = artifactWritten({ written, filed, missing: [] })
  return [withinScope({ changed, outside: [] }), ...(artifact ? [artifact] : [])]
}

async function gatesOf(
  context: DurableContext,
  { site, request }: AgentVisit,
  found: { readonly start: StartingPoint; readonly answer: JsonObject; readonly work: Kept },
): Promise<readonly GateReport[]> {
  const { key, step } = request
  if (namedGates(step.gates).length === 0) return []
  const dir = join(stepFolder(site.folder, key), 'checks')
  const reports = await context.step<readonly GateReport[]>(`${key}/gates`, (attempt) =>
    checkGates(site, { ...found, request, dir }, attempt),
  )
  await noteGates(context, request, reports)
  return reports
}

/** The engine recognises findings that come back; where the answer does not list them, the report does. */
async function findingsFrom(
  context: DurableContext,
  { site, request }: AgentVisit,
  { answer, work }: { readonly answer: JsonObject; readonly work: Kept },
): Promise<Finding[]> {
  const [report] = work.writes
  if (report === undefined || findingsOf(answer).length > 0) return []
  return context.step<Finding[]>(`${request.key}/findings`, async () =>
    findingsIn((await readBlob(site.repo, work.tip, report)) ?? '').slice(0, mostFindings),
  )
}

async function noteWork(context: DurableContext, { request }: AgentVisit, work: Kept): Promise<void> {
  const { key, step } = request
  const role = step.role.title
  const about = { step: step.id }
  for (const path of work.writes) {
    await context.record(`${key}/wrote/${path}`, { type: 'artifact.written', role, data: { ...about, path } })
  }
  for (const commit of work.commits.slice(-20)) {
    await context.record(`${key}/commit/${commit}`, {
      type: 'commit.made',
      role,
      data: { ...about, commit, by: 'agent' },
    })
  }
  if (work.commit !== '') {
    const data = { ...about, commit: work.commit, by: 'engine' }
    await context.record(`${key}/commit/${work.commit}`, { type: 'commit.made', role, data })
  }
  if (work.backlog.length > 0) {
    await context.record(`${key}/backlog`, {
      type: 'backlog.added',
      role,
      data: { ...about, items: work.backlog },
    })
  }
}

async function moveTo(context: DurableContext, { site, request }: AgentVisit, move: Move): Promise<void> {
  if (move.from === move.to) return
  const { key, step } = request
  await context.step(`${key}/branch`, async () => {
    await moveOrStop(site, move, () => beginLook(site.task))
    return move
  })
  const data = { step: step.id, from: move.from, to: move.to, by: 'engine' }
  await context.record(`${key}/branch/moved`, { type: 'branch.moved', role: 'ENGINE', data })
}

/** No usable answer: what the agent left is kept as a snapshot, and the step begins where it began. */
async function failed(
  context: DurableContext,
  { site, request, start }: Begun,
  { label, reason, gate }: Failed,
): Promise<Performed> {
  const { key, step } = request
  if (gate) await noteGates(context, request, [gate])
  const kept = await context.step(`${key}/undone`, async () => {
    const message = `${step.role.title}: ${step.id} failed (${label}), undone\n`
    const back = { to: start.tree, message, date: start.at, step: key }
    return (await restoreTree(site.task, back))?.ref ?? ''
  })
  if (kept !== '') {
    const data = { step: step.id, ref: kept, reason: label }
    await context.record(`${key}/undone/kept`, { type: 'snapshot.made', role: 'ENGINE', data })
  }
  const result: StepResult = {
    outcome: 'failed',
    label,
    reason,
    writes: [],
    gates: [],
    facts: {},
    commit: start.tip,
  }
  return { result, last: start }
}

async function refused(
  context: DurableContext,
  { request, start }: Begun,
  end: {
    readonly work: KeptWork & { type: 'refused' }
    readonly answer: JsonObject
    readonly verdict: ReturnType<typeof verdictOf>
  },
): Promise<Performed> {
  const { answer, verdict } = end
  const { label, reason } = end.work
  // Who says that the merge cannot be done has not committed it: the reason counts, not the gate.
  if (label === 'merge_commit' && verdict.outcome !== 'ok') {
    const work: Kept = { ...start, type: 'kept', commits: [], commit: '', writes: [], backlog: [] }
    return { result: conclude(request.step, { answer, verdict, work, reports: [] }), last: start }
  }
  const gates = [{ gate: label, met: false, facts: reason }]
  if (label === 'merge_commit') await noteGates(context, request, gates)
  const outcome = label === 'merge_commit' ? 'revise' : 'failed'
  return { result: { outcome, label, reason, writes: [], gates, facts: {}, commit: start.tip }, last: start }
}
