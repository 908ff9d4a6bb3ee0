import { TimeUsedUpError } from '../model/durable.ts'
import type { DurableContext, Instant } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { exitCodes } from '../model/failure.ts'
import type { ExitCode } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { SpendingLimitError } from '../model/spending.ts'
import type { SpendingLimits } from '../model/spending.ts'
import type { Feedback, Performer, RunPlace } from '../model/step-result.ts'
import type { Pause, WantedStretch } from '../model/stretch.ts'
import type { Workflow } from '../model/workflow.ts'
import { parseDuration } from '../model/duration.ts'
import { expand } from '../model/template.ts'
import { emptyTally } from '../model/usage.ts'
import type { Frame, ListEnd } from './frame.ts'
import { openLedger } from './ledger.ts'
import { openPhases } from './phases.ts'
import { runStretches } from './run-stretches.ts'
import type { StretchEnd } from './run-stretches.ts'
import { endMoments, speak } from './speak.ts'
import { openWatch } from './watch.ts'
import { runValues, stepValues } from './values.ts'

export interface RunInput {
  readonly workflow: Workflow
  readonly performer: Performer
  /** Inputs and the run's own names: task, task_id, slug, feat, run, mode. */
  readonly values: JsonObject
  readonly mode?: string
  /** A limit given on the command line or in settings; the workflow's own otherwise. */
  readonly timeLimitMs?: number
  readonly limits?: SpendingLimits
  /** How long the run stood still between its processes: that time does not count. */
  readonly pausedMs?: number
  /** When this process took the run up, if it is not its first. */
  readonly resumedAt?: Instant
  /** What the command that woke the run asks of it, once it pauses. */
  readonly wanted?: WantedStretch
}

export type RunEnd = {
  readonly outcome: ListEnd['result']['outcome'] | 'time' | 'spending'
  readonly exitCode: ExitCode
  readonly step: string
  readonly reason: string
  /** What the end is called beside its outcome, such as the level that led to it. */
  readonly label?: string
  readonly place: RunPlace
  /** It is not over: it waits for the next verb. */
  readonly pause?: Pause
}

/** Interprets a workflow from its first step to its end. All that it does to the world goes through the context. */
export async function runWorkflow(context: DurableContext, input: RunInput): Promise<RunEnd> {
  const { workflow, performer } = input
  await announce(context, input, { names: ['start'], values: () => input.values })
  const place = await performer.begin(context, input.values)
  const values = runValues(workflow, { ...input.values, ...place })
  await announce(context, input, { names: ['branch'], values: () => values })

  const { end, steps } = await interpret(context, input, values)
  const result = { ...end, place }
  // Not recorded under a key: with more to use up the run goes on from here, and a replay must not meet its own end.
  if (end.outcome === 'time' || end.outcome === 'spending' || end.pause) return result
  const after = { ...steps, ...values, step: end.step, reason: end.reason, outcome: end.outcome }
  const names = endMoments(end.outcome === 'ok' ? undefined : end.label, end.outcome)
  await announce(context, input, { names, values: () => after })
  const { outcome, exitCode, step, reason, label } = result
  const by = label === undefined || outcome === 'ok' ? {} : { label }
  await context.record(
    'run/finished',
    engineEvent('run.finished', { outcome, exit_code: exitCode, step, reason, ...by }),
  )
  return result
}

async function interpret(
  context: DurableContext,
  input: RunInput,
  values: JsonObject,
): Promise<{ readonly end: Omit<RunEnd, 'place'>; readonly steps: JsonObject }> {
  const { workflow, performer } = input
  // Asked for also where there is no limit yet: one may be given when the run is resumed.
  const now = await context.now('run/now')
  const limit = timeLimitOf(input, values)
  const deadlineFrom = (time: number): number | undefined => (limit === undefined ? undefined : time + limit)
  const deadline = deadlineFrom(now)
  const { pausedMs = 0, resumedAt = 0 } = input
  const frame: Frame = {
    ...{ context, performer, workflow, values, prefix: '', place: '', depth: 0, since: undefined },
    ...(deadline === undefined ? {} : { deadline, runDeadline: deadline }),
    ...{
      ledger: openLedger(),
      visits: new Map(),
      feedback: toldBefore(input.values),
      said: [],
      laps: new Map(),
      assigned: new Map(),
    },
    ...{
      runStart: now,
      pausedMs,
      resumedAt,
      phases: openPhases(),
      watch: openWatch(textOf(values['start'])),
    },
    ...{ spent: { tally: emptyTally }, limits: input.limits ?? {} },
  }
  try {
    const { mode, wanted } = input
    const asked = { ...(mode === undefined ? {} : { mode }), ...(wanted ? { wanted } : {}) }
    const end = ended(await runStretches(frame, { ...asked, deadlineFrom }))
    return { end, steps: stepValues(frame.ledger) }
  } catch (error) {
    return { end: usedUp(error, frame), steps: {} }
  }
}

/** What the first step is told before it begins: a review from outside. */
function toldBefore({ told_before: told }: JsonObject): readonly Feedback[] {
  return Array.isArray(told) ? told : []
}

/** Time or money: the run ends here, and with more of it goes on from here. Anything else is thrown on. */
function usedUp(error: unknown, frame: Frame): Omit<RunEnd, 'place'> {
  const isTime = error instanceof TimeUsedUpError
  if (!isTime && !(error instanceof SpendingLimitError)) throw error
  const step = frame.ledger.entries.at(-1)?.step ?? ''
  const outcome = isTime ? 'time' : 'spending'
  const reason = (isTime ? whichPhase(frame) : undefined) ?? error.message
  return { outcome, exitCode: exitCodes.budget, step, reason }
}

/** Where a phase has to be done before the run, its time was over first. */
function whichPhase({ phases, runDeadline }: Frame): string | undefined {
  const isEarlier =
    phases.deadline !== undefined && runDeadline !== undefined && phases.deadline < runDeadline
  return isEarlier ? `the part of the time limit that is for '${phases.current}' is used up` : undefined
}

function ended({ result, step, pause }: StretchEnd): Omit<RunEnd, 'place'> {
  const { outcome, label } = result
  const unmet = result.gates.filter(({ met }) => !met).map(({ gate, facts }) => `${gate}: ${facts}`)
  const reason = outcome === 'ok' ? '' : (result.reason ?? (unmet.join('; ') || label || outcome))
  const exitCode = outcome === 'ok' ? exitCodes.delivered : exitCodes.failed
  const named = label === undefined ? {} : { label }
  return { outcome, exitCode, step, reason, ...named, ...(pause ? { pause } : {}) }
}

/** What was asked for, or else what the workflow says. */
export function timeLimitOf(
  { workflow, timeLimitMs }: Pick<RunInput, 'workflow' | 'timeLimitMs'>,
  values: JsonObject,
): number | undefined {
  if (timeLimitMs !== undefined || workflow.budget.time === undefined) return timeLimitMs
  return parseDuration(expand(workflow.budget.time, values))
}

async function announce(
  context: DurableContext,
  { workflow }: RunInput,
  moment: { readonly names: readonly string[]; readonly values: () => JsonObject },
): Promise<void> {
  await speak(context, workflow, { ...moment, key: 'run', speaker: 'ORCHESTRATOR' })
}
