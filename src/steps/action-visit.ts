import type { StepRequest } from '../model/step-result.ts'
import type { DoStep } from '../model/workflow.ts'
import type { LastKnown } from './starting-point.ts'
import type { Site } from './workplace.ts'

export interface ActionVisit {
  readonly site: Site
  readonly request: StepRequest & { readonly step: DoStep }
  readonly last: LastKnown
}
