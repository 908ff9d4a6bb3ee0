import { engineEvent } from '../model/event.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Step } from '../model/workflow.ts'
import { askAbout } from './ask-person.ts'
import { chooseRoute, countTaken, onwards, routeLabel } from './choose-route.ts'
import type { Move, RouteQuestion } from './choose-route.ts'
import { applies } from './conditions.ts'
import { countIn, nextVisit, plainResult, valuesIn } from './frame.ts'
import type { Frame, ListEnd, ListRun } from './frame.ts'
import { feedbackOf } from './hand-over.ts'
import { openLedger } from './ledger.ts'
import { visitStep } from './visit-step.ts'

/** Runs a list of steps from the first, or a given one, until its routes lead out of it. */
export async function runList(frame: Frame, { steps, from, until }: ListRun): Promise<ListEnd> {
  let here = from === undefined ? steps[0] : stepNamed(steps, from)
  let feedback = frame.feedback
  let last: ListEnd = { result: plainResult('ok'), step: '' }
  while (here) {
    const step: Step = here
    if (!applies(step, valuesIn(frame))) {
      here = await passOver(frame, steps, step)
      continue
    }
    const { result, key } = await visitStep({ ...frame, feedback }, step, runList)
    last = { result, step: step.id }
    if (until === step.id && result.outcome === 'ok') return last
    const turn = await takeTurn(frame, { steps, step, result, key })
    if (turn.type === 'end') return { result: turn.result, step: step.id }
    feedback = turn.feedback
    here = turn.to === undefined ? undefined : stepNamed(steps, turn.to)
  }
  return { ...last, result: { ...last.result, outcome: 'ok' } }
}

interface Ended {
  readonly steps: readonly Step[]
  readonly step: Step
  readonly result: StepResult
  readonly key: string
}

type Turn =
  | { readonly type: 'on'; readonly to?: string; readonly feedback: Frame['feedback'] }
  | { readonly type: 'end'; readonly result: StepResult }

async function takeTurn(frame: Frame, ended: Ended): Promise<Turn> {
  const question = questionOf(frame, ended)
  return act(frame, { ...ended, question, move: chooseRoute(question) })
}

function questionOf(frame: Frame, { steps, step, result }: Ended): RouteQuestion {
  const limitOf = (limit: number | string) => countIn(frame, limit)
  return { steps, step, result, ledger: frame.ledger, depth: frame.depth, limitOf }
}

type Decided = Ended & { readonly question: RouteQuestion; readonly move: Move }

async function act(frame: Frame, decided: Decided): Promise<Turn> {
  const { move, step, result } = decided
  switch (move.type) {
    case 'end':
      return { type: 'end', result: { ...result, outcome: move.outcome } }
    case 'continue':
      return { type: 'end', result: { ...result, label: 'continue' } }
    case 'ask':
      return askPerson(frame, decided)
    case 'call':
      return callFragment(frame, decided, move)
    case 'go': {
      await noteRoute(frame, decided, move)
      if (move.taken) countTaken(decided.question, move.taken, move.to)
      const goesBack = move.taken !== undefined && result.outcome !== 'ok'
      return {
        type: 'on',
        to: move.to,
        feedback: goesBack ? [feedbackOf(step, result, move.taken?.route.feedback)] : [],
      }
    }
  }
}

async function noteRoute(
  frame: Frame,
  { step, result, key }: Ended,
  move: Move & { type: 'go' | 'call' },
): Promise<void> {
  if (!move.taken) return
  const { count, limit, route } = move.taken
  const to = move.type === 'go' ? move.to : move.fragment
  const by = routeLabel(step, result) ?? result.outcome
  const data = { from: step.id, to, by, count, ...(limit === undefined ? {} : { limit }) }
  await frame.context.record(`${key}/route`, engineEvent('route.taken', data))
  if (route.emits) {
    const event = { name: route.emits.type, data: route.emits.data ?? {} }
    await frame.context.record(`${key}/route/emitted`, engineEvent('emitted', event))
  }
}

/** A fragment's outcome stands for the step's; what is not ok is looked up again, without new attempts. */
async function callFragment(frame: Frame, decided: Decided, move: Move & { type: 'call' }): Promise<Turn> {
  const { step, result, key } = decided
  await noteRoute(frame, decided, move)
  frame.ledger.counts.set(move.taken.key, move.taken.count)
  const inner: Frame = {
    ...frame,
    prefix: `${key}/${move.fragment}/`,
    depth: frame.depth + 1,
    ledger: openLedger(frame.ledger),
    feedback: [feedbackOf(step, result, move.taken.route.feedback)],
  }
  const end = await runList(inner, { steps: frame.workflow.fragments[move.fragment] ?? [] })
  if (end.result.outcome === 'ok') {
    frame.ledger.entries.push({ step: step.id, visit: 0, result: { ...result, outcome: 'ok' } })
    const next = onwards(decided.question)
    return next.type === 'go'
      ? { type: 'on', to: next.to, feedback: [] }
      : { type: 'end', result: plainResult('ok') }
  }
  const { label: _label, ...rest } = result
  return takeTurn(frame, {
    ...decided,
    result: { ...rest, outcome: end.result.outcome, ...reasonOf(end) },
    key: `${key}'`,
  })
}

function reasonOf(end: ListEnd): Partial<StepResult> {
  return end.result.reason === undefined ? {} : { reason: end.result.reason }
}

async function askPerson(frame: Frame, decided: Decided): Promise<Turn> {
  const { step, result, key, steps, question } = decided
  const reply = await askAbout(frame, { step, result, key })
  switch (reply.type) {
    case 'again':
      return { type: 'on', to: step.id, feedback: reply.feedback }
    case 'onwards': {
      const approved: StepResult = { ...result, outcome: 'ok', label: okLabel(step) }
      frame.ledger.entries.push({ step: step.id, visit: 0, result: approved })
      return takeTurn(frame, { steps, step, result: approved, key: `${key}/approved` })
    }
    case 'back':
      return sendBack(frame, { ...decided, move: chooseRoute({ ...question, result: reply.result }) }, reply)
  }
}

/** A person's `reject` takes the step's revise route with counts at zero, or runs the step again where it has none. */
async function sendBack(
  frame: Frame,
  decided: Decided,
  reply: { readonly feedback: Frame['feedback'] },
): Promise<Turn> {
  const { move, step } = decided
  if (move.type !== 'go') return { type: 'on', to: step.id, feedback: reply.feedback }
  await noteRoute(frame, { ...decided, key: `${decided.key}/rejected` }, move)
  if (move.taken) countTaken(decided.question, move.taken, move.to)
  return { type: 'on', to: move.to, feedback: reply.feedback }
}

/** The one verdict word that means ok, so that an approval takes the same route as the reviewer's own. */
function okLabel(step: Step): string {
  if (step.type !== 'agent') return 'ok'
  const words = Object.values(step.role.verdicts).flatMap((table) => Object.entries(table))
  return words.find(([, outcome]) => outcome === 'ok')?.[0] ?? 'ok'
}

async function passOver(frame: Frame, steps: readonly Step[], step: Step): Promise<Step | undefined> {
  const { key } = nextVisit(frame, `${step.id}/skipped`)
  await frame.context.record(key, engineEvent('step.skipped', { step: step.id }))
  const move = onwards({ steps, step })
  return move.type === 'go' ? stepNamed(steps, move.to) : undefined
}

function stepNamed(steps: readonly Step[], id: string): Step {
  const step = steps.find((one) => one.id === id)
  // The loader has checked every target; a miss here is a bug, not a user's mistake.
  if (!step) throw new Error(`no step '${id}' in this list`)
  return step
}
