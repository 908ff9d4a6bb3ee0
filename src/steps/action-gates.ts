import type { DurableContext } from '../model/durable.ts'
import type { ActionVisit } from './action-visit.ts'
import type { Performed } from './agent-step.ts'
import { checkBranchGates } from './check-branch-gates.ts'

/** An action that would end ok has to meet the step's gates too, on the branch as the action left it. */
export async function withGates(
  context: DurableContext,
  { site, request }: ActionVisit,
  performed: Performed,
): Promise<Performed> {
  const { result, last } = performed
  if (result.outcome !== 'ok') return performed
  const gates = await checkBranchGates(context, request, { site, last })
  const unmet = gates.find(({ met }) => !met)
  if (!unmet) return { last, result: { ...result, gates } }
  const reason = `${unmet.gate}: ${unmet.facts}`
  return { last, result: { ...result, gates, outcome: 'revise', label: unmet.gate, reason } }
}
