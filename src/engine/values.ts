import { textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Workflow } from '../model/workflow.ts'
import type { StepResult } from '../model/step-result.ts'
import { expand } from '../model/template.ts'
import type { Ledger } from './ledger.ts'

/** The run's own names: inputs, task, branch, and the workflow's paths, which may use one another in order. */
export function runValues(workflow: Workflow, facts: JsonObject): JsonObject {
  const values: Record<string, Json> = { ...facts }
  for (const [name, template] of Object.entries(workflow.paths)) values[name] = expand(template, values)
  return values
}

/** What the steps so far have come to, by step id: `{plan.steps}`, `{test.exit_code}`, `{code.commit}`. */
export function stepValues(ledger: Ledger): JsonObject {
  const last = new Map<string, StepResult>()
  collectLast(ledger, last)
  return Object.fromEntries(Array.from(last, ([step, result]) => [step, valuesOf(result)]))
}

/** A long run has come by the same steps again and again: only their last results have values. */
function collectLast({ outer, entries }: Ledger, last: Map<string, StepResult>): void {
  if (outer) collectLast(outer, last)
  for (const { step, result } of entries) last.set(step, result)
}

function valuesOf(result: StepResult): JsonObject {
  return {
    ...result.answer,
    ...result.facts,
    outcome: result.outcome,
    label: result.label ?? result.outcome,
    writes: result.writes[0] ?? '',
    commit: shortCommit(result.commit),
    reason: result.reason ?? '',
  }
}

/** The names that a step's own texts may use once it has ended. */
export function resultValues(result: StepResult): JsonObject {
  const answer = result.answer ?? {}
  return {
    ...result.facts,
    answer,
    label: result.label ?? result.outcome,
    outcome: result.outcome,
    writes: result.writes[0] ?? '',
    commit: shortCommit(result.commit),
    feedback: textOf(answer['feedback']) || result.reason || '',
    reason: textOf(answer['reason']) || result.reason || '',
  }
}

function shortCommit(commit: string | undefined): string {
  return commit?.slice(0, 7) ?? ''
}
