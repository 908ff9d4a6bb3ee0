/** What a run can show for its branch: facts of its journal, nothing that an agent only claims. */
export interface Evidence {
  readonly task: string
  /** Where the task was written, if it was not typed. */
  readonly source?: { readonly url: string; readonly closes?: string }
  readonly run: string
  readonly workflow: string
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly tree: string
  readonly plan?: { readonly path: string; readonly text: string }
  /** Points that the work is accepted by, as its report ticks them. */
  readonly points: readonly { readonly text: string; readonly done: boolean }[]
  readonly checks: readonly EvidentCheck[]
  readonly gates: readonly { readonly step: string; readonly gate: string; readonly facts: string }[]
  readonly reviews: readonly {
    readonly step: string
    readonly round: number
    readonly verdict: string
    readonly path: string
  }[]
  /** What people decided on the way. */
  readonly decisions: readonly { readonly step: string; readonly verb: string; readonly text: string }[]
  readonly calls: number
  readonly cost?: number
  readonly gaps: readonly string[]
}

export interface EvidentCheck {
  readonly step: string
  readonly command: string
  readonly exitCode: number
  readonly tree: string
  readonly isClean: boolean
}
