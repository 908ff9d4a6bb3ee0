import type { GateDefinition, Level, Phase, StateSpec, Supervision } from '../model/supervision.ts'
import type { GateFile, WorkflowFile } from '../model/workflow-file.ts'
import type { Workflow } from '../model/workflow.ts'
import { normalizeEmitted } from './normalize-step.ts'
import { defined, mapped } from './records.ts'

/** What a file says about its own gates, who judges by them, its phases, and the names of its state. */
export function normalizeOversight(file: WorkflowFile): Pick<Workflow, 'gates' | 'supervision' | 'state'> {
  return defined({
    gates: file.gates && mapped(file.gates, normalizeDefinition),
    supervision: file.supervision && normalizeSupervision(file.supervision),
    state: file.state && normalizeState(file.state),
  })
}

function normalizeDefinition(gate: GateFile, name: string): GateDefinition {
  return {
    ...{ name, points: gate.judged ?? [], inconclusive: gate.inconclusive ?? 'fail' },
    ...defined({ score: gate.score, noIssue: gate.no_issue, of: gate.of }),
  }
}

type SupervisionFile = NonNullable<WorkflowFile['supervision']>

function normalizeSupervision({ role, emits, escalation = [], on }: SupervisionFile): Supervision {
  return {
    ...{ role, emits: mapped(emits, normalizeEmitted), on: on ?? {} },
    escalation: escalation.map(normalizeLevel),
  }
}

function normalizeLevel(level: NonNullable<SupervisionFile['escalation']>[number]): Level {
  const { score, issues, guidance, emits, failed_items: failedItems } = level
  return {
    level: level.level,
    ...defined({ score, issues, guidance, failedItems }),
    ...(emits !== undefined && { emits: normalizeEmitted(emits) }),
  }
}

export function normalizePhases(
  phases: NonNullable<WorkflowFile['budget']>['phases'],
): Record<string, Phase> {
  return mapped(phases, ({ share, cap, reserve = false }) => ({ share, reserve, ...defined({ cap }) }))
}

function normalizeState(state: NonNullable<WorkflowFile['state']>): StateSpec {
  const { start, status = {}, ends = {}, metrics = {}, item = {} } = state
  return { status, ends, metrics, item, ...defined({ start }) }
}
