import type { GateShape } from '../model/workflow.ts'

/** What exists beside a workflow file itself: it may name nothing else. */
export interface Vocabulary {
  /** Actions of `do`, each with the labels it may end with. */
  readonly actions: Readonly<Record<string, readonly string[]>>
  readonly gates: Readonly<Record<string, GateShape>>
  /** Undefined where no provider is to be refused. */
  readonly providers?: readonly string[]
  /** Those of them that need no network. */
  readonly offline?: readonly string[]
}
