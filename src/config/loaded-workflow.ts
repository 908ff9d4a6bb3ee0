import type { Json } from '../model/json.ts'
import type { Workflow } from '../model/workflow.ts'
import type { FoundFile } from './find-files.ts'

/** A workflow with everything it refers to: what a run needs to know about it, so that nothing is read again. */
export interface LoadedWorkflow {
  readonly workflow: Workflow
  readonly source: FoundFile
  /** By the reference that a role writes. */
  readonly prompts: Readonly<Record<string, LoadedPrompt>>
  readonly schemas: Readonly<Record<string, LoadedSchema>>
}

export interface LoadedPrompt {
  readonly path: string
  readonly text: string
}

export interface LoadedSchema extends LoadedPrompt {
  readonly value: Json
}
