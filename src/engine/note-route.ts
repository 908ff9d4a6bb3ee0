import { engineEvent, engineRole } from '../model/event.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Route, Step } from '../model/workflow.ts'
import { routeLabel } from './choose-route.ts'
import type { Move } from './choose-route.ts'
import { wordsFor } from './convergence.ts'
import type { Repeated } from './convergence.ts'
import { valuesIn } from './frame.ts'
import type { Frame } from './frame.ts'
import { emittedEvent } from './speak.ts'

/** A visit that has ended, about which something is recorded. */
interface Ended {
  readonly step: Step
  readonly result: StepResult
  readonly key: string
}

/** Which way a list went and why, for the journal. */
export async function noteRoute(
  frame: Frame,
  { step, result, key }: Ended,
  move: Move & { type: 'go' | 'call' },
): Promise<void> {
  if (!move.taken) return
  const { count, limit } = move.taken
  const to = move.type === 'go' ? move.to : move.fragment
  const isWayOut = move.taken.key === `${step.id}/repeated`
  const by = isWayOut ? 'repeated' : (routeLabel(step, result) ?? result.outcome)
  // `once` may hand over to another label of the same table: then its rounds are counted with that one (C-09).
  const [, label = by] = move.taken.key.split('/')
  const counted = label === by ? {} : { counted_as: label }
  const degraded = isDegraded({ step, result, key }, move) ? { degraded: true } : {}
  const most = limit === undefined ? {} : { limit }
  const data = { from: step.id, to, by, count, ...most, ...counted, ...degraded }
  await frame.context.record(`${key}/route`, engineEvent('route.taken', data))
}

/** Going on past a step that came to nothing: what follows rests on less than was meant. */
function isDegraded({ step, result }: Ended, { type, taken }: Move & { type: 'go' | 'call' }): boolean {
  return type === 'go' && result.outcome === 'failed' && taken?.limit === undefined && step.type === 'agent'
}

/** A fragment has no start of its own to replace. */
export async function announceCall(frame: Frame, key: string, { emits }: Route): Promise<void> {
  if (!emits) return
  await frame.context.record(`${key}/route/emitted`, emittedEvent(emits, engineRole, valuesIn(frame)))
}

export async function noteRepeated(
  frame: Frame,
  { step, key }: Ended,
  repeated: readonly Repeated[],
): Promise<void> {
  for (const [index, one] of repeated.entries()) {
    const { id, place } = one.finding
    const data = { step: step.id, finding: id, place, how: one.how, round: one.round, facts: wordsFor(one) }
    await frame.context.record(`${key}/repeated/${index}`, engineEvent('finding.repeated', data))
  }
}
