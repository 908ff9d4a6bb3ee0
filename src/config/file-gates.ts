import type { JsonObject } from '../model/json.ts'
import type { GateSpec } from '../model/workflow.ts'
import type { StepFile } from '../model/step-file.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import { defined, mapped } from './records.ts'

/** A gate as a step or a definition names it: a name, or a map whose first key is its name. */
export type NamedGate = string | JsonObject

/** `when` beside a gate is for whom it counts, not a parameter of it. */
export function normalizeGate(gate: NamedGate): GateSpec {
  if (typeof gate === 'string') return { name: gate, parameters: {} }
  const { when, ...parameters } = gate
  const conditions =
    when === undefined ? undefined : mapped(when as Record<string, never>, (value) => [value].flat())
  return { name: Object.keys(parameters)[0] ?? '', parameters, ...defined({ when: conditions }) }
}

export function gatesOfFile({ gates }: WorkflowFile): string[] {
  return Object.keys(gates ?? {})
}

/** What a step names, its `verify` included. */
function namedBy({ gates = [], verify }: StepFile): NamedGate[] {
  return verify === undefined ? gates : [...gates, verify]
}

/** The gates that the engine checks: a gate of the file stands for its conditions. */
export function checkedBy(file: WorkflowFile, step: StepFile): GateSpec[] {
  return namedBy(step).flatMap((gate): GateSpec[] => {
    const spec = normalizeGate(gate)
    const own = definitionOf(file, spec.name)
    if (!own) return [spec]
    return (own.conditions ?? []).map((condition) => ({ ...normalizeGate(condition), of: spec.name }))
  })
}

/** The gates of the file that somebody is asked about. */
export function judgedBy(file: WorkflowFile, step: StepFile): string[] {
  const names = namedBy(step).map((gate) => normalizeGate(gate).name)
  return names.filter((name) => definitionOf(file, name)?.judged !== undefined || name === step.verify)
}

export function definitionOf({ gates }: WorkflowFile, name: string) {
  return gates && Object.hasOwn(gates, name) ? gates[name] : undefined
}
