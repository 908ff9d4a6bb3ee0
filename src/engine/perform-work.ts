import { TimeUsedUpError } from '../model/durable.ts'
import { overspent, SpendingLimitError } from '../model/spending.ts'
import type { StepRequest, StepResult } from '../model/step-result.ts'
import { joinTallies } from '../model/usage.ts'
import type { Frame } from './frame.ts'

/** Has a step performed, and ends the run where the run's own time ran out meanwhile. */
export async function performWork(frame: Frame, request: StepRequest): Promise<StepResult> {
  const result = await frame.performer.perform(frame.context, request)
  if (result.commit !== undefined) frame.watch.tip = result.commit
  if (result.spent) frame.spent.tally = joinTallies(frame.spent.tally, result.spent)
  if (result.label !== 'time' || frame.runDeadline === undefined) return result
  const now = await frame.context.now(`${request.key}/over`)
  if (now >= frame.runDeadline) throw new TimeUsedUpError()
  return result
}

/** Only agents cost something: what is paid for may still be checked and delivered. */
export function refuseToSpend({ spent, limits }: Frame): void {
  const reason = overspent(spent.tally, limits)
  if (reason !== undefined) throw new SpendingLimitError(reason)
}

const noLimits = {}

/** When somebody has to be done by the clock on the wall, which went on while nobody ran the run. */
export function limitsOf(frame: Frame): Pick<StepRequest, 'deadline' | 'runDeadline'> {
  const { deadline, runDeadline, pausedMs = 0 } = frame
  if (deadline === undefined && runDeadline === undefined) return noLimits
  return {
    ...(deadline === undefined ? {} : { deadline: deadline + pausedMs }),
    ...(runDeadline === undefined ? {} : { runDeadline: runDeadline + pausedMs }),
  }
}
