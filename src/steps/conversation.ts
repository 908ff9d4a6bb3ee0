import type { StepRequest } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import type { StartingPoint } from './starting-point.ts'
import type { Site } from './workplace.ts'

export interface Conversation {
  readonly site: Site
  readonly request: StepRequest & { readonly step: AgentStep }
  readonly start: StartingPoint
}

export interface Round {
  readonly call: number
  /** The call that opened the private git directory which this one works in: a repair goes on in the same one. */
  readonly opening: number
  readonly problem: string | undefined
}
