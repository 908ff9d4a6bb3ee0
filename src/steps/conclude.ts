import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { GateReport, StepResult } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import type { KeptWork } from './keep-work.ts'
import type { verdictOf } from './validate-answer.ts'

/** How an agent's step ends: by the first gate that is not met, else by its own verdict. */
export function conclude(
  step: AgentStep,
  end: {
    readonly answer: JsonObject
    readonly verdict: ReturnType<typeof verdictOf>
    readonly work: KeptWork & { type: 'kept' }
    readonly reports: readonly GateReport[]
  },
): StepResult {
  const { answer, verdict, work, reports } = end
  const unmet = reports.find(({ met }) => !met)
  const facts = { committed: work.commit !== '', ...editedIn(step, answer) }
  const common = { answer, writes: work.writes, commit: work.tip, gates: reports, facts }
  if (unmet)
    return {
      ...common,
      outcome: 'revise',
      label: unmet.of ?? unmet.gate,
      reason: `${unmet.gate}: ${unmet.facts}`,
    }
  const reason = textOf(answer[step.role.feedback] ?? answer['reason'] ?? answer['feedback'])
  return { ...common, ...verdict, ...(verdict.outcome === 'ok' || reason === '' ? {} : { reason }) }
}

/** The files of the patch, as the answer names them. */
function editedIn({ role }: AgentStep, answer: JsonObject): { changed?: string[] } {
  const edits = answer['edits']
  if (role.edits !== 'engine' || !Array.isArray(edits)) return {}
  return { changed: edits.map((edit: Json) => (isJsonObject(edit) ? textOf(edit['path']) : '')) }
}
