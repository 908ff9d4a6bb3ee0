import { join } from 'node:path'
import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { GateReport, RecheckRequest } from '../model/step-result.ts'
import { testFacts } from './check-gates.ts'
import { judgeGates, needsOf } from './gates.ts'
import type { LastKnown } from './starting-point.ts'
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
    return judgeGates(gates, {
      answer,
      commits: [],
      artifacts: {},
      markers: [],
      changes: 0,
      byHand: false,
      tests,
    })
  })
  for (const { gate, met, facts } of reports) {
    const data = { step: step.id, gate, met, facts }
    await context.record(`${key}/gates/${gate}`, engineEvent('gate.checked', data))
  }
  return reports
}
