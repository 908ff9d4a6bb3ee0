import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { GateReport } from '../model/step-result.ts'
import type { Step } from '../model/workflow.ts'

/** Each gate with its facts, as evidence, whether it was met or not. */
export async function noteGates(
  context: DurableContext,
  { key, step }: { readonly key: string; readonly step: Step },
  reports: readonly GateReport[],
): Promise<void> {
  for (const { gate, met, facts } of reports) {
    const data = { step: step.id, gate, met, facts }
    await context.record(`${key}/gates/${gate}`, engineEvent('gate.checked', data))
  }
}
