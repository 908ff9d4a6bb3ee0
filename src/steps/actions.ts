import { complexityLevels } from '../model/complexity.ts'
import type { DurableContext } from '../model/durable.ts'
import { FailureError } from '../model/failure.ts'
import type { Performed } from './agent-step.ts'
import { withGates } from './action-gates.ts'
import type { ActionVisit } from './action-visit.ts'
import { archiveDocuments } from './archive.ts'
import { deliverBranch } from './deliver.ts'
import { publishBranch } from './publish.ts'
import { integrateBase } from './integrate-base.ts'
import { measureWork } from './measure.ts'

type Action = (context: DurableContext, visit: ActionVisit) => Promise<Performed>

interface ActionEntry {
  readonly labels: readonly string[]
  readonly act: Action
  /** What may only be done once the gates are met. */
  readonly afterwards?: (
    context: DurableContext,
    visit: ActionVisit,
    performed: Performed,
  ) => Promise<Performed>
}

const actions: Readonly<Record<string, ActionEntry>> = {
  'merge-base': { labels: ['clean', 'conflict'], act: integrateBase },
  archive: { labels: ['nothing'], act: archiveDocuments },
  measure: { labels: complexityLevels, act: measureWork },
  deliver: {
    labels: ['moved', 'none', 'offered', 'branch_moved'],
    act: deliverBranch,
    afterwards: publishBranch,
  },
}

/** What a workflow may write after `do:`, and the labels each can end with. */
export const actionLabels: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(actions).map(([name, { labels }]) => [name, labels]),
)

export async function performAction(context: DurableContext, visit: ActionVisit): Promise<Performed> {
  const action = actions[visit.request.step.action]
  if (action) {
    const performed = await withGates(context, visit, await action.act(context, visit))
    if (!action.afterwards || performed.result.outcome !== 'ok') return performed
    return action.afterwards(context, visit, performed)
  }
  throw new FailureError({
    code: 'action.unknown',
    message: `There is no action '${visit.request.step.action}'.`,
    next: `Write one of: ${Object.keys(actions).join(', ')}`,
  })
}
