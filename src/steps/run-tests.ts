import { join } from 'node:path'
import type { Attempt } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { FailureError } from '../model/failure.ts'
import type { TestFacts } from '../gates/gate.ts'
import { openCleanPlace } from './clean-place.ts'
import type { CleanPlace } from './clean-place.ts'
import { runCheck, runChecks } from './run-checks.ts'
import type { CheckReport } from './run-checks.ts'
import type { Site } from './workplace.ts'

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
export async function testFacts(site: Site, run: TestRun, attempt: Attempt): Promise<TestFacts> {
  const [report] = await runChecks(site, { ...run, names: ['tests'], signal: attempt.signal })
  if (!report) return { type: 'not_run', reason: 'no report' }
  await noteTests(run, report, attempt)
  return factsOf(report)
}

/** The same where nothing is but what is committed: no file that an agent, or its tests, have left in the worktree. */
export async function cleanTestFacts(site: Site, run: TestRun, attempt: Attempt): Promise<TestFacts> {
  const { signal } = attempt
  const dir = join(run.dir, 'clean')
  const place = await placeFor(site, run, { logs: join(dir, 'setup'), signal })
  if (!('root' in place)) return place
  try {
    const report = await runCheck(site, 'tests', { ...run, dir, signal, root: place.root })
    await noteTests({ ...run, checkout: 'clean' }, report, attempt)
    const note = [`on a clean checkout of ${run.tip.slice(0, 12)}`, place.note].filter(Boolean).join(', ')
    const facts = factsOf(report)
    return facts.type === 'ran' ? { ...facts, note } : facts
  } finally {
    await place.remove()
  }
}

/** A set-up that fails on what is committed is as much a finding as a failing test. */
async function placeFor(
  site: Site,
  { tip }: TestRun,
  how: { readonly logs: string; readonly signal: AbortSignal },
): Promise<CleanPlace | (TestFacts & { type: 'not_run' })> {
  try {
    return await openCleanPlace(site, { tip, ...how })
  } catch (error) {
    if (!(error instanceof FailureError) || error.code !== 'worktree.setup') throw error
    return { type: 'not_run', reason: `on a clean checkout of ${tip.slice(0, 12)}: ${error.message}` }
  }
}

async function noteTests(
  { step, tip, checkout }: TestRun & { readonly checkout?: 'clean' },
  { exit_code: exitCode, command, label, log }: CheckReport,
  attempt: Attempt,
): Promise<void> {
  const where = checkout === undefined ? {} : { checkout }
  const data = { step, check: 'tests', command, label, exit_code: exitCode ?? -1, log, commit: tip, ...where }
  await attempt.note(engineEvent('check.finished', data))
}

function factsOf({ exit_code: exitCode, command, log, tail, reason }: CheckReport): TestFacts {
  if (exitCode === undefined) return { type: 'not_run', reason: reason ?? 'the tests could not be run' }
  return { type: 'ran', command, exitCode, log, tail }
}
