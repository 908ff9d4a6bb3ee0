import { join } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { cutText } from '../model/cut.ts'
import type { JsonObject } from '../model/json.ts'
import type { StepRequest, StepResult } from '../model/step-result.ts'
import { expand } from '../model/template.ts'
import type { CheckStep } from '../model/workflow.ts'
import { instantOf } from '../platform/clock.ts'
import type { Performed } from './agent-step.ts'
import { projectTools } from './project-tools.ts'
import { runChecks } from './run-checks.ts'
import type { CheckReport } from './check-report.ts'
import { toolSection } from './tool-output.ts'
import { startingPoint } from './starting-point.ts'
import type { LastKnown } from './starting-point.ts'
import { workspaceOf } from './workspace.ts'
import { stepFolder } from './workplace.ts'
import type { Site } from './workplace.ts'

/** Commands that the engine runs itself. A failing one is evidence; one that cannot be run is an accident. */
export async function performCheck(
  context: DurableContext,
  visit: {
    readonly site: Site
    readonly request: StepRequest & { readonly step: CheckStep }
    readonly last: LastKnown
  },
): Promise<Performed> {
  const { site, request, last } = visit
  const { key, step } = request
  const start = await startingPoint(context, site, { key, last })
  const reports = await context.step<CheckReport[]>(`${key}/checks`, ({ signal }) => {
    const dir = join(stepFolder(site.folder, key), 'checks')
    const ownDeadline = instantOf(site.clock) + step.timeoutMs
    return runChecks(site, {
      ...{ names: step.checks, dir, signal, key, tip: start.tip, at: start.at },
      folder: workspaceOf(request.workflow, request.values),
      deadline: Math.min(ownDeadline, request.deadline ?? ownDeadline),
      ...(request.runDeadline === undefined ? {} : { runDeadline: request.runDeadline }),
    })
  })
  for (const { name, command, label, exit_code: exitCode, log } of reports) {
    await context.record(`${key}/checked/${name}`, () => ({
      ...{ type: 'check.finished', role: 'ENGINE' },
      data: { step: step.id, check: name, command, label, exit_code: exitCode ?? -1, log },
    }))
  }
  const result = step.checks.includes(projectTools)
    ? evidenceOf(reports, start.tip)
    : resultOf(reports.map(judgedBy(request)), start.tip, request)
  return { result, last: { tip: start.tip, tree: start.tree } }
}

/** What the project's tools say is for a reviewer to judge; only a required one that is not there is an accident. */
function evidenceOf(reports: readonly CheckReport[], commit: string): StepResult {
  const missing = reports.find(({ label, optional }) => label === 'missing' && !optional)
  const failing = reports.find(({ label }) => label !== 'pass' && label !== 'missing')
  const facts = { ...factsOf(reports, missing ?? failing ?? reports[0]), output: toolSection(reports) }
  const common = { writes: [], gates: [], facts, commit }
  if (missing)
    return { ...common, outcome: 'failed', label: 'failed', reason: missing.reason ?? missing.name }
  if (!failing) return { ...common, outcome: 'ok', label: 'pass' }
  const reason = failing.reason ?? `'${failing.command}' ended with exit code ${failing.exit_code}`
  return { ...common, outcome: 'revise', label: 'fail', reason }
}

const untested = 'no_tests'

/** A project without tests is what the workflow's policy makes of it; without one, a failure with a word of its own. */
function judgedBy(request: StepRequest): (report: CheckReport) => CheckReport {
  const { noTests } = request.workflow.policy
  const rule = noTests === undefined ? '' : expand(noTests, request.values)
  return (report) => (report.label === untested && rule === 'fail' ? { ...report, label: 'fail' } : report)
}

/** What the keys of a result begin with: pytest's own name, unless other tests are run and the workflow says so (C-38). */
function keysOf(request: StepRequest, shown: CheckReport | undefined): string {
  const { resultKeys } = request.workflow.policy
  if (resultKeys === undefined) return pytest
  const isPytest = /(?:^|[\s/])(?:pytest|py\.test)(?:\s|$)/.test(shown?.command ?? '')
  return isPytest ? pytest : expand(resultKeys, request.values)
}

const pytest = 'pytest'

function resultOf(reports: readonly CheckReport[], commit: string, request: StepRequest): StepResult {
  const { cut } = request.workflow.policy
  const broken = reports.find(({ exit_code: code, optional }) => code === undefined && !optional)
  const failing = reports.find(({ exit_code: code }) => code !== undefined && code !== 0)
  const shown = broken ?? failing ?? reports[0]
  const own = factsOf(reports, shown, keysOf(request, shown))
  const facts = cut ? { ...own, cut: cutText(shown?.output ?? '', cut) } : own
  const passed: StepResult = { outcome: 'ok', label: 'pass', writes: [], gates: [], facts, commit }
  if (broken) {
    const reason = broken.reason ?? `${broken.name} could not be run`
    return { ...passed, outcome: 'failed', label: 'failed', reason }
  }
  if (failing) {
    const reason = `'${failing.command}' ended with exit code ${failing.exit_code}\n${failing.tail}`.trim()
    return { ...passed, outcome: 'revise', label: failing.label, reason }
  }
  return passed
}

/** As one literal: what is put together of parts takes longer than all else in the replay of a check. */
function factsOf(reports: readonly CheckReport[], shown: CheckReport | undefined, keys?: string): JsonObject {
  const { exit_code: code = -1, output = '', log = '' } = shown ?? {}
  const checks = reports.map(({ name }) => name).join(', ')
  const passed = code === 0
  return keys === undefined
    ? { exit_code: code, passed, output, log, checks }
    : { exit_code: code, passed, output, log, checks, keys }
}
