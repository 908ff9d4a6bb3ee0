import type { Instant } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { identifierOf, turnOf } from '../model/stretch.ts'
import type { Pause, WantedStretch } from '../model/stretch.ts'
import type { Step } from '../model/workflow.ts'
import { resetCounts, routeLabel } from './choose-route.ts'
import type { Frame, ListEnd, ListRun, Onto } from './frame.ts'
import { feedbackOf } from './hand-over.ts'
import { decide, latest } from './ledger.ts'
import { runTop } from './run-top.ts'
import { runValues } from './values.ts'

export interface Stretches {
  /** What the run was begun with. */
  readonly mode?: string
  /** What the command that woke the run asks of it, once it pauses. */
  readonly wanted?: WantedStretch
  /** Each stretch has the time limit of the run for itself: days may lie between two commands. */
  readonly deadlineFrom: (now: Instant) => Instant | undefined
}

export interface StretchEnd extends ListEnd {
  readonly pause?: Pause
}

/**
 * One run, several commands: a mode with an end is a stretch of the run, after which it pauses, and the next verb
 * goes on with the same ledger. Which stretches there were is recorded, so a replay goes the same way.
 */
export async function runStretches(frame: Frame, stretches: Stretches): Promise<StretchEnd> {
  const { workflow } = frame
  let mode = stretches.mode ?? ''
  const desk: Desk = { wanted: stretches.wanted }
  let inner = frame
  let run: ListRun = { steps: workflow.steps, ...rangeOf(frame, mode) }
  for (let number = 2; ; number++) {
    const end = await runTop(inner, run)
    const onto = ontoOf(inner, end)
    if (!onto) return end
    const pause = { mode, next: onto.to }
    const stretch = await nextStretch(frame, { key: `stretch/${number}`, pause, desk })
    if (!stretch) return { ...end, pause }
    mode = stretch.mode
    inner = await openStretch(frame, { stretch, key: `stretch/${number}`, stretches })
    decideAnew(frame, stretch.from)
    run = { steps: workflow.steps, ...rangeOf(frame, mode), from: stretch.from, ...pendingOf(end, onto) }
  }
}

/** What was asked for is taken once, and only by a stretch that no earlier command has recorded. */
interface Desk {
  wanted: WantedStretch | undefined
}

type Stretch = { readonly mode: string; readonly from: string; readonly inputs: JsonObject }

/** Undefined where nobody has asked for anything that can be done here: then the run pauses. */
async function nextStretch(
  { context, workflow }: Frame,
  at: { readonly key: string; readonly pause: Pause; readonly desk: Desk },
): Promise<Stretch | undefined> {
  try {
    return await context.step<Stretch>(at.key, () => {
      const { wanted } = at.desk
      const turn = wanted && turnOf(workflow, wanted, at.pause.next)
      if (!wanted || turn?.type !== 'goes') throw new NothingWanted()
      at.desk.wanted = undefined
      return Promise.resolve({ mode: wanted.mode, from: turn.from, inputs: wanted.inputs })
    })
  } catch (error) {
    // Thrown, so that nothing is recorded: whoever asks later still finds the place free.
    if (error instanceof NothingWanted) return undefined
    throw error
  }
}

class NothingWanted extends Error {}

async function openStretch(
  frame: Frame,
  at: { readonly stretch: Stretch; readonly key: string; readonly stretches: Stretches },
): Promise<Frame> {
  const { mode, from, inputs } = at.stretch
  const event = engineEvent('stretch.started', { mode, from, inputs })
  await frame.context.record(`${at.key}/started`, event)
  // What is said now counts more than what a step made of it earlier.
  for (const name of Object.keys(inputs)) frame.assigned.delete(name)
  const deadline = at.stretches.deadlineFrom(await frame.context.now(`${at.key}/now`))
  const values = runValues(frame.workflow, { ...frame.values, ...inputs, mode })
  const { deadline: _old, runDeadline: _oldRun, ...rest } = frame
  return { ...rest, values, ...(deadline === undefined ? {} : { deadline, runDeadline: deadline }) }
}

/** A person has looked at it and typed a command: limits count from here, and so do findings that come back. */
function decideAnew({ ledger, workflow }: Frame, from: string): void {
  for (const { id } of workflow.steps) resetCounts(ledger, id)
  for (const { step } of ledger.entries) decide(ledger, step)
  decide(ledger, from)
}

function rangeOf({ workflow }: Frame, mode: string): Pick<ListRun, 'from' | 'first' | 'until'> {
  const spec = workflow.modes[mode]
  if (!spec) return {}
  const { from, to } = spec
  return { from, first: from, ...(to === undefined ? {} : { until: to }) }
}

/** What the end of a stretch has to say to the step that it leads to. */
function pendingOf(end: ListEnd, onto: Onto): { pending?: Onto } {
  return onto.feedback.length === 0 || end.result.outcome === 'ok' ? {} : { pending: onto }
}

/** Where the run goes on. Undefined where it is over: at the end of its list, or by a failure that nobody can come back to. */
function ontoOf(frame: Frame, end: ListEnd): Onto | undefined {
  if (end.result.outcome === 'ok') return end.onto && leftOpen(frame, end.onto)
  if (end.onto) return end.onto
  if (identifierOf(frame.workflow) === undefined) return undefined
  const step = frame.workflow.steps.find(({ id }) => id === end.step)
  return step && mending(frame, step, end)
}

/** A list of which only some items were asked for is not done with. */
function leftOpen({ ledger, workflow }: Frame, onto: Onto): Onto {
  const until = workflow.steps.findIndex(({ id }) => id === onto.to)
  const open = workflow.steps.slice(0, until === -1 ? undefined : until).find((step) => {
    if (step.type !== 'each') return false
    return Number(latest(ledger, step.id)?.result.facts['left_open'] ?? 0) > 0
  })
  return open ? { to: open.id, feedback: [] } : onto
}

/** The step that would have mended it, had its route not been used up; else the failed one itself. */
function mending({ workflow }: Frame, step: Step, { result }: ListEnd): Onto {
  const label = routeLabel(step, result)
  const route = label === undefined ? undefined : step.on[label]
  const isStep = route?.type === 'to' && workflow.steps.some(({ id }) => id === route.target)
  if (!route || !isStep) return { to: step.id, feedback: [] }
  return { to: route.target, feedback: [feedbackOf(step, result, route.feedback)] }
}
