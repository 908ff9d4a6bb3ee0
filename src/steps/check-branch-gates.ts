import { join } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import type { GateReport, RecheckRequest } from '../model/step-result.ts'
import { branchGates, judgeGates, needsOf } from '../gates/judge-gates.ts'
import { branchGateFacts } from './check-gates.ts'
import { noteGates } from './note-gates.ts'
import type { LastKnown } from './starting-point.ts'
import { stepFolder } from './workplace.ts'
import type { Site } from './workplace.ts'

/**
 * The gates of a step that rest on the branch as it stands, tests among them: nobody can approve those away. What
 * rests on an answer or on commits of one step was judged when there was one.
 */
export async function checkBranchGates(
  context: DurableContext,
  { step, key, values, agreed, deadline, runDeadline }: RecheckRequest,
  { site, last }: { readonly site: Site; readonly last: LastKnown },
): Promise<readonly GateReport[]> {
  const gates = branchGates(step.gates)
  if (gates.length === 0) return []
  const dir = join(stepFolder(site.folder, key), 'checks')
  const needs = needsOf(gates)
  const limits = {
    ...(deadline === undefined ? {} : { deadline }),
    ...(runDeadline === undefined ? {} : { runDeadline }),
  }
  const reports = await context.step<readonly GateReport[]>(`${key}/gates`, async (attempt) => {
    const at = site.clock.now().toISOString()
    const ground = { step: step.id, key, tip: last.tip, at, dir, values, agreed, needs, ...limits }
    return judgeGates(gates, await branchGateFacts(site, ground, attempt))
  })
  await noteGates(context, { key, step }, reports)
  return reports
}
