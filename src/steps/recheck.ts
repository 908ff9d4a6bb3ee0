import { join } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import type { GateReport, RecheckRequest } from '../model/step-result.ts'
import { nothingCollected } from '../gates/gate.ts'
import { judgeGates, needsOf } from '../gates/judge-gates.ts'
import { testFacts } from './check-gates.ts'
import type { LastKnown } from './starting-point.ts'
import { noteGates } from './note-gates.ts'
import { stepFolder } from './workplace.ts'
import type { Site } from './workplace.ts'

/** The gates of a step that rest on tests, on the branch as it stands: nobody can approve those away. */
export async function recheckGates(
  context: DurableContext,
  { step, key, answer }: RecheckRequest,
  { site, last }: { readonly site: Site; readonly last: LastKnown },
): Promise<readonly GateReport[]> {
  const gates = step.gates.filter((gate) => needsOf([gate]).has('tests'))
  if (gates.length === 0) return []
  const dir = join(stepFolder(site.folder, key), 'checks')
  const reports = await context.step<readonly GateReport[]>(`${key}/gates`, async (attempt) => {
    const at = site.clock.now().toISOString()
    const tests = await testFacts(site, { step: step.id, key, tip: last.tip, at, dir }, attempt)
    return judgeGates(gates, { ...nothingCollected, answer, tests })
  })
  await noteGates(context, { key, step }, reports)
  return reports
}
