import type { GateReport } from '../model/step-result.ts'
import { counted, listed } from './listed.ts'

/** Judged for every agent's step, named in the workflow or not. */
export const alwaysJudged = ['within_scope', 'artifact_written'] as const

export interface ScopeFacts {
  /** How many paths the step changed. */
  readonly changed: number
  /** Those among them that the role may not change. */
  readonly outside: readonly string[]
}

export function withinScope({ changed, outside }: ScopeFacts): GateReport {
  const gate = 'within_scope'
  if (outside.length > 0)
    return { gate, met: false, facts: `changed what it may not change: ${listed(outside)}` }
  if (changed === 0) return { gate, met: true, facts: 'nothing was changed' }
  return { gate, met: true, facts: `${counted(changed, 'path')} changed, all of them the role's to change` }
}

export interface ArtifactFacts {
  /** Files that the agent wrote in this step, not empty. */
  readonly written: readonly string[]
  /** Files that the engine wrote from the answer, where the step allows that. */
  readonly filed: readonly string[]
  readonly missing: readonly string[]
}

/** Undefined where nothing was asked for. */
export function artifactWritten({ written, filed, missing }: ArtifactFacts): GateReport | undefined {
  const gate = 'artifact_written'
  if (missing.length > 0) return { gate, met: false, facts: `not written in this step: ${listed(missing)}` }
  if (written.length + filed.length === 0) return undefined
  const parts = [
    ...(written.length > 0 ? [`written in this step: ${listed(written)}`] : []),
    ...(filed.length > 0 ? [`filed from the answer: ${listed(filed)}`] : []),
  ]
  return { gate, met: true, facts: parts.join('; ') }
}
