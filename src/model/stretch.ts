// Where a run stands between two commands that work on it, and what a verb means there. Pure.
import type { JsonObject } from './json.ts'
import type { ModeSpec, Workflow } from './workflow.ts'

/** A run that stands between two stretches: nothing is under way, and the next verb goes on from here. */
export type Pause = {
  /** The mode whose stretch ended. */
  readonly mode: string
  /** The step that a run without a further word would go on with. */
  readonly next: string
}

/** What a verb asks of a run that has begun. */
export type WantedStretch = {
  readonly mode: string
  readonly inputs: JsonObject
  /** Also where it has been done already, or where something comes before it. */
  readonly anyway: boolean
}

export type Turn =
  | { readonly type: 'goes'; readonly from: string }
  /** The run is past it. */
  | { readonly type: 'done' }
  /** Something else comes first. */
  | { readonly type: 'early' }

/** Whether it is a verb's turn where a run stands: it goes on at that step if the step belongs to it. */
export function turnOf(
  workflow: Workflow,
  wanted: Pick<WantedStretch, 'mode' | 'anyway'>,
  next: string,
): Turn {
  const mode = workflow.modes[wanted.mode]
  if (!mode) return { type: 'early' }
  const { first, last } = boundsOf(workflow, mode)
  const at = workflow.steps.findIndex(({ id }) => id === next)
  if (at >= first && at <= last) return { type: 'goes', from: next }
  if (wanted.anyway) return { type: 'goes', from: mode.from }
  return { type: at > last ? 'done' : 'early' }
}

/** The verbs whose turn it is, those that lead the shortest way first. */
export function verbsAt(workflow: Workflow, next: string, isAgain: boolean): string[] {
  const fitting = Object.entries(workflow.modes).filter(
    ([mode]) => turnOf(workflow, { mode, anyway: false }, next).type === 'goes',
  )
  const length = (mode: ModeSpec): number => boundsOf(workflow, mode).last - boundsOf(workflow, mode).first
  // Of two that are the same stretch, the one that cannot begin a run is meant for one in which it was done once.
  const begins = ({ starts }: ModeSpec): number => ((starts === true) === isAgain ? 1 : 0)
  return fitting
    .toSorted(([, a], [, b]) => length(a) - length(b) || begins(a) - begins(b))
    .map(([name]) => name)
}

function boundsOf({ steps }: Workflow, { from, to }: ModeSpec): { first: number; last: number } {
  const indexOf = (step: string): number => steps.findIndex(({ id }) => id === step)
  return { first: indexOf(from), last: to === undefined ? steps.length - 1 : indexOf(to) }
}

/** The input by which runs of a workflow are known. */
export function identifierOf({ inputs }: Pick<Workflow, 'inputs'>): string | undefined {
  return Object.entries(inputs).find(([, { identifies }]) => identifies === true)?.[0]
}
