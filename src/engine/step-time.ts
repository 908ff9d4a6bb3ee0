import { TimeUsedUpError } from '../model/durable.ts'
import type { Instant } from '../model/durable.ts'
import type { Step } from '../model/workflow.ts'
import { deadlineOf } from './budget.ts'
import type { Frame } from './frame.ts'
import { phaseDeadline } from './phases.ts'
import type { PhaseEntry } from './phases.ts'

export interface StepTime {
  readonly deadline: Instant | undefined
  readonly runDeadline: Instant | undefined
  /** The list's or phase's time was over before the step began. */
  readonly isLate: boolean
}

/** The run's limit ends the run, always; a step's own limit is handed to whoever performs it. */
export async function timeFor(frame: Frame, step: Step, key: string): Promise<StepTime> {
  const now = await frame.context.now(`${key}/now`)
  const phaseEnd = inPhase(frame, step, now)
  const runEnd = endsTheRun(step) ? earlier(frame.runDeadline, phaseEnd) : frame.runDeadline
  if (runEnd !== undefined && now >= runEnd) throw new TimeUsedUpError()
  const around = earlier(frame.deadline, phaseEnd)
  const isLate = isTimed(frame) && (await noteLate(frame, key, around !== undefined && now >= around))
  const deadline = deadlineOf(around === undefined ? { now } : { now, deadline: around }, ownTime(step))
  return { deadline, runDeadline: runEnd, isLate }
}

function ownTime({ budget }: Step): string | number | undefined {
  return budget?.time === 'even' ? undefined : budget?.time
}

/** Recorded, since with more time a replay would find that it was not too late. */
async function noteLate({ context }: Frame, key: string, isLate: boolean): Promise<boolean> {
  return context.step(`${key}/late`, async () => isLate)
}

function isTimed({ workflow }: Frame): boolean {
  return Object.keys(workflow.budget.phases ?? {}).length > 0
}

/** The time of a phase is part of the run's: a step that fills it ends the run, unless it has another way out. */
function endsTheRun({ phase, on }: Step): boolean {
  return phase !== undefined && !Object.hasOwn(on, 'time')
}

function earlier(one: Instant | undefined, other: Instant | undefined): Instant | undefined {
  if (one === undefined) return other
  return other === undefined ? one : Math.min(one, other)
}

/** A step that names another phase than the one under way enters it. */
function inPhase(frame: Frame, { phase }: Step, now: Instant): Instant | undefined {
  const { phases, runDeadline, runStart, resumedAt = 0, workflow } = frame
  if (phase === undefined || runDeadline === undefined) return undefined
  if (phases.current !== phase) {
    const run = { start: runStart, deadline: runDeadline }
    const of = (entry: Omit<PhaseEntry, 'name'>): Instant =>
      phaseDeadline(workflow.budget.phases ?? {}, run, { name: phase, ...entry })
    const own = of({ now, isFirst: !phases.entered.has(phase) })
    // A run that was taken up again in the middle of a phase has entered it again.
    phases.deadline = resumedAt > now ? Math.max(own, of({ now: resumedAt, isFirst: false })) : own
    phases.current = phase
    phases.entered.add(phase)
  }
  return phases.deadline
}
