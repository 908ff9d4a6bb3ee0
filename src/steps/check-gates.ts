import type { Attempt } from '../model/durable.ts'
import type { JsonObject } from '../model/json.ts'
import type { GateReport, StepRequest } from '../model/step-result.ts'
import { nothingCollected } from '../gates/gate.ts'
import type { TestFacts } from '../gates/gate.ts'
import { judgeGates, namedGates, needsOf } from '../gates/judge-gates.ts'
import { conflictMarkers } from '../git/conflict-markers.ts'
import { changedPaths, isAncestor, readBlob } from '../git/facts.ts'
import type { KeptWork } from './keep-work.ts'
import { runChecks } from './run-checks.ts'
import type { StartingPoint } from './starting-point.ts'
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
  const gates = namedGates(request.step.gates)
  const needs = needsOf(gates)
  const tests = needs.has('tests') ? { tests: await testFacts(site, testRunOf(gateWork), attempt) } : {}
  const merged = needs.has('merged') ? { merged: await isMerged(site, gateWork) } : {}
  return judgeGates(gates, {
    ...nothingCollected,
    answer,
    commits: work.commits,
    artifacts: needs.has('artifacts') ? await artifactTexts(site, work) : {},
    // Of the whole merge: markers that an earlier round has committed are still markers.
    markers: needs.has('markers')
      ? await conflictMarkers(site.repo, request.mergeFrom ?? start.tip, work.tip)
      : [],
    byHand: start.byHand === true,
    changes: needs.has('changes') ? await changesOf(site, gateWork) : 0,
    ...tests,
    ...merged,
  })
}

export interface TestRun {
  readonly step: string
  readonly key: string
  readonly tip: string
  readonly at: string
  readonly dir: string
  readonly deadline?: number
  readonly runDeadline?: number
}

/** The project's tests, run by the engine on the branch as it stands. */
export async function testFacts(site: Site, { step, ...run }: TestRun, attempt: Attempt): Promise<TestFacts> {
  const [report] = await runChecks(site, { ...run, names: ['tests'], signal: attempt.signal })
  if (!report) return { type: 'not_run', reason: 'no report' }
  const { exit_code: exitCode, command, label, log, tail } = report
  const data = { step, check: 'tests', command, label, exit_code: exitCode ?? -1, log }
  await attempt.note({ type: 'check.finished', role: 'ENGINE', data })
  if (exitCode === undefined)
    return { type: 'not_run', reason: report.reason ?? 'the tests could not be run' }
  return { type: 'ran', command, exitCode, log, tail }
}

function testRunOf({ request, start, work, dir }: GateWork): TestRun {
  const { step, key, deadline, runDeadline } = request
  return {
    ...{ step: step.id, key, tip: work.tip, at: start.at, dir },
    ...(deadline === undefined ? {} : { deadline }),
    ...(runDeadline === undefined ? {} : { runDeadline }),
  }
}

/** Of the agent's own commits: what it left for the engine to commit is no commit of its own. */
async function changesOf(site: Site, { start, work }: GateWork): Promise<number> {
  const changed = await changedPaths(site.task, start.tip, work.commits.at(-1) ?? start.tip)
  return changed.filter(({ path }) => !work.writes.includes(path)).length
}

async function isMerged(site: Site, { request, work }: GateWork): Promise<boolean> {
  return request.mergeHead !== undefined && (await isAncestor(site.repo, request.mergeHead, work.tip))
}

async function artifactTexts(site: Site, work: GateWork['work']): Promise<Record<string, string>> {
  const texts: [string, string][] = []
  for (const path of work.writes) texts.push([path, (await readBlob(site.repo, work.tip, path)) ?? ''])
  return Object.fromEntries(texts)
}
