import type { DurableContext } from '../model/durable.ts'
import { FailureError } from '../model/failure.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { DoStep } from '../model/workflow.ts'
import type { Performed } from './agent-step.ts'
import { archiveDocuments } from './archive.ts'
import { deliverBranch } from './deliver.ts'
import { integrateBase } from './integrate-base.ts'
import type { LastKnown } from './starting-point.ts'
import type { Site } from './workplace.ts'

export interface ActionVisit {
  readonly site: Site
  readonly request: StepRequest & { readonly step: DoStep }
  readonly last: LastKnown
}

type Action = (context: DurableContext, visit: ActionVisit) => Promise<Performed>

const actions: Readonly<Record<string, { readonly labels: readonly string[]; readonly act: Action }>> = {
  'merge-base': { labels: ['clean', 'conflict'], act: integrateBase },
  archive: { labels: [], act: archiveDocuments },
  deliver: { labels: ['moved', 'none'], act: deliverBranch },
}

/** What a workflow may write after `do:`, and the labels each can end with. */
export const actionLabels: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(actions).map(([name, { labels }]) => [name, labels]),
)

export async function performAction(context: DurableContext, visit: ActionVisit): Promise<Performed> {
  const action = actions[visit.request.step.action]
  if (action) return action.act(context, visit)
  throw new FailureError({
    code: 'action.unknown',
    message: `There is no action '${visit.request.step.action}'.`,
    next: `Write one of: ${Object.keys(actions).join(', ')}`,
  })
}
