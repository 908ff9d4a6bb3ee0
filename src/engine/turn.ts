// What follows from the end of a visit: where a list goes on or how it ends, and what is said on the way.
import type { StepResult } from '../model/step-result.ts'
import type { AgentStep, DoStep, Route, Step, VerifyStep } from '../model/workflow.ts'
import { onwards } from './choose-route.ts'
import { wordsFor } from './convergence.ts'
import type { Repeated } from './convergence.ts'
import type { Frame, ListEnd } from './frame.ts'
import { feedbackOf } from './hand-over.ts'
import type { Lap } from './laps.ts'

/** A visit that has ended, with all that the next turn depends on. */
export interface Ended {
  readonly steps: readonly Step[]
  readonly step: Step
  readonly result: StepResult
  readonly key: string
  /** The mode stops after this step, once it has ended ok. */
  readonly isLast: boolean
  /** What this visit was told itself: a visit that has to be made again is told it again. */
  readonly given: Frame['feedback']
  /** What the review raises again although it was dealt with. */
  readonly repeated?: readonly Repeated[]
  /** What a person said goes back instead of the findings alone. */
  readonly feedback?: Frame['feedback']
}

export type Turn =
  | {
      readonly type: 'on'
      readonly to: string
      readonly feedback: Frame['feedback']
      readonly emits?: Route['emits']
      readonly lap?: Lap | undefined
    }
  | { readonly type: 'end'; readonly end: ListEnd }

export function endedAs({ step, result }: Ended, outcome: StepResult['outcome']): Turn {
  return { type: 'end', end: { result: { ...result, outcome }, step: step.id } }
}

/** The mode ends here; its route says where the run would go on. */
export function stop({ steps, step, result }: Ended): Turn {
  const route = step.on[result.label ?? 'ok'] ?? step.on['ok']
  const isStep = route?.type === 'to' && steps.some(({ id }) => id === route.target)
  const move = isStep ? undefined : onwards({ steps, step })
  const to = isStep ? route.target : move?.type === 'go' ? move.to : undefined
  const onto = to === undefined ? {} : { onto: { to, feedback: [] } }
  return { type: 'end', end: { result, step: step.id, ...onto } }
}

/** The newest word of each speaker: a step that is made again has not dealt with what it was told before. */
export function told({ given }: Ended, more: Frame['feedback']): Frame['feedback'] {
  const speakers = new Set(more.map(({ from }) => from))
  return [...given.filter(({ from }) => !speakers.has(from)), ...more]
}

export function feedbackFor(
  { step, result, feedback, repeated = [] }: Ended,
  route: Route,
): Frame['feedback'] {
  if (feedback) return feedback
  const own = feedbackOf(step, result, route.feedback)
  const text = [own.text, ...repeated.map(wordsFor)].filter((part) => part !== '').join('\n')
  return [{ ...own, text }]
}

export function fallenTo({ label: _label, ...result }: StepResult, { result: end }: ListEnd): StepResult {
  const gates = [...result.gates, ...end.gates]
  return {
    ...result,
    outcome: end.outcome,
    gates,
    ...(end.reason === undefined ? {} : { reason: end.reason }),
  }
}

export function endedOf({ steps, step, result, key, isLast, given }: Ended): Ended {
  return { steps, step, result, key, isLast, given }
}

export function canBeRechecked(step: Step): step is AgentStep | DoStep | VerifyStep {
  return step.type === 'agent' || step.type === 'do' || step.type === 'verify'
}

/** The one verdict word that means ok, so that an approval takes the same route as the reviewer's own. */
export function okLabel(step: Step): string {
  if (step.type !== 'agent') return 'ok'
  const words = Object.values(step.role.verdicts).flatMap((table) => Object.entries(table))
  return words.find(([, outcome]) => outcome === 'ok')?.[0] ?? 'ok'
}
