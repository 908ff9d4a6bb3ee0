import { engineEvent } from '../model/event.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Route, Step } from '../model/workflow.ts'
import { askAbout } from './ask-person.ts'
import { chooseRoute, countTaken, onwards, routeLabel } from './choose-route.ts'
import type { Move, RouteQuestion } from './choose-route.ts'
import { applies } from './conditions.ts'
import { repeatedFindings, wordsFor } from './convergence.ts'
import { countIn, nextVisit, plainResult, valuesIn } from './frame.ts'
import type { Frame, ListEnd, ListRun } from './frame.ts'
import { agreedOf } from './hand-over.ts'
import { beginLap, endLap, hasBudget, isSpent, stillUnderWay } from './laps.ts'
import type { Lap } from './laps.ts'
import { openLedger, setCount } from './ledger.ts'
import { announceCall, noteRepeated, noteRoute } from './note-route.ts'
import { limitsOf } from './perform-work.ts'
import { canBeRechecked, endedAs, endedOf, fallenTo, feedbackFor, okLabel, stop, told } from './turn.ts'
import type { Ended, Turn } from './turn.ts'
import { visitStep } from './visit-step.ts'

/** Runs a list of steps from the first, or a given one, until its routes lead out of it. */
export async function runList(frame: Frame, run: ListRun): Promise<ListEnd> {
  const { steps, from, until } = run
  let here = from === undefined ? steps[0] : stepNamed(steps, from)
  let { pending } = run
  let feedback = frame.feedback
  let emits: Route['emits']
  let lap: Lap | undefined
  let last: ListEnd = { result: plainResult('ok'), step: '' }
  while (here) {
    const step: Step = here
    if (!applies(step, () => valuesIn(frame))) {
      const following = await passOver(frame, steps, step)
      if (step.id === until) return { ...endedWell(last), ...ontoOf(following) }
      here = following
      emits = undefined
      continue
    }
    if (pending?.to === step.id) {
      feedback = [...feedback, ...pending.feedback]
      pending = undefined
    }
    const around = framed(frame, lap, feedback)
    const { result, key } = await visitStep(around, announcedBy(step, emits), runList)
    await endLap(frame, lap, { step, key })
    last = { result, step: step.id }
    const isLast = step.id === until
    const turn = await takeTurn(frame, { steps, step, result, key, isLast, given: feedback })
    if (turn.type === 'end') return turn.end
    if (leadsOut(run, turn.to)) return { result, step: step.id, onto: turn }
    feedback = turn.feedback
    emits = turn.emits
    lap = turn.lap ?? stillUnderWay(lap, step)
    here = stepNamed(steps, turn.to)
  }
  return endedWell(last)
}

function endedWell(last: ListEnd): ListEnd {
  return { ...last, result: { ...last.result, outcome: 'ok' } }
}

/** Inside a lap that has a budget, nothing may take longer than what is left of it. */
function framed(frame: Frame, lap: Lap | undefined, feedback: Frame['feedback']): Frame {
  if (lap?.deadline !== undefined)
    return { ...frame, feedback, deadline: Math.min(frame.deadline ?? Infinity, lap.deadline) }
  return feedback === frame.feedback ? frame : { ...frame, feedback }
}

function ontoOf(following: Step | undefined): Pick<ListEnd, 'onto'> {
  return following ? { onto: { to: following.id, feedback: [] } } : {}
}

/** A mode with an end has nothing to do with what lies before it or behind it. */
function leadsOut({ steps, from, first = from, until }: ListRun, to: string): boolean {
  if (until === undefined) return false
  const indexOf = (step: string | undefined): number => steps.findIndex(({ id }) => id === step)
  return indexOf(to) < indexOf(first) || indexOf(to) > indexOf(until)
}

/** What a route emits replaces the start of its target. */
function announcedBy(step: Step, emits: Route['emits']): Step {
  return emits ? { ...step, emits: { ...step.emits, start: emits } } : step
}

async function takeTurn(frame: Frame, ended: Ended): Promise<Turn> {
  if (ended.isLast && ended.result.outcome === 'ok') return stop(ended)
  const repeated = repeatedFindings(frame.ledger, ended.step, ended.result)
  if (repeated.length > 0) await noteRepeated(frame, ended, repeated)
  const isSpentNow = hasBudget(ended.step) && (await isSpent(frame, ended.step, ended.key))
  const question = questionOf(frame, ended, { isRepeated: repeated.length > 0, isSpent: isSpentNow })
  const move = chooseRoute(question)
  if (move.type === 'end') return endedAs(ended, move.outcome)
  return act(frame, { ...ended, repeated, question, move })
}

function questionOf(
  frame: Frame,
  { steps, step, result }: Ended,
  known: Pick<RouteQuestion, 'isRepeated' | 'isSpent'> = {},
): RouteQuestion {
  const limitOf = (limit: number | string) => countIn(frame, limit)
  const { isRepeated = false, isSpent: isSpentNow = false } = known
  const { ledger, depth } = frame
  return { steps, step, result, ledger, depth, limitOf, isRepeated, isSpent: isSpentNow }
}

type Decided = Ended & { readonly question: RouteQuestion; readonly move: Move }

async function act(frame: Frame, decided: Decided): Promise<Turn> {
  const { move, result, step } = decided
  switch (move.type) {
    case 'end':
      return endedAs(decided, move.outcome)
    case 'continue':
      return {
        type: 'end',
        end: { result: { ...result, outcome: 'failed' }, step: step.id, continued: true },
      }
    case 'ask':
      return askPerson(frame, decided)
    case 'call':
      return callFragment(frame, decided, move)
    case 'go':
      return goOn(frame, decided, move)
  }
}

async function goOn(frame: Frame, decided: Decided, move: Move & { type: 'go' }): Promise<Turn> {
  const { to, taken } = move
  if (!taken) return { type: 'on', to, feedback: [] }
  await noteRoute(frame, decided, move)
  countTaken(decided.question, taken, to)
  const { route } = taken
  const own = decided.result.outcome === 'ok' ? [] : feedbackFor(decided, route)
  const feedback = to === decided.step.id ? told(decided, own) : own
  const lap = await beginLap(frame, decided, route)
  return { type: 'on', to, feedback, lap, ...(route.emits ? { emits: route.emits } : {}) }
}

/** A fragment's outcome stands for the step's; what is not ok is looked up again, without new attempts. */
async function callFragment(frame: Frame, decided: Decided, move: Move & { type: 'call' }): Promise<Turn> {
  const { step, result, key } = decided
  await noteRoute(frame, decided, move)
  await announceCall(frame, key, move.taken.route)
  setCount(frame.ledger, move.taken.key, move.taken.count)
  const inner: Frame = {
    ...frame,
    prefix: `${key}/${move.fragment}/`,
    place: `${frame.place}${step.id}/${move.fragment}/`,
    depth: frame.depth + 1,
    ledger: openLedger(frame.ledger),
    feedback: feedbackFor(decided, move.taken.route),
  }
  const end = await runList(inner, { steps: frame.workflow.fragments[move.fragment] ?? [] })
  const again = { ...endedOf(decided), key: `${key}'` }
  return end.result.outcome === 'ok'
    ? endWell(frame, again)
    : takeTurn(frame, { ...again, result: fallenTo(result, end) })
}

/** By a person's word, or because a fragment has put it right, the step counts as ended ok. */
async function endWell(frame: Frame, ended: Ended): Promise<Turn> {
  const { step } = ended
  const result: StepResult = { ...ended.result, outcome: 'ok', label: okLabel(step) }
  frame.ledger.entries.push({ step: step.id, visit: 0, result })
  return takeTurn(frame, { ...ended, result })
}

async function askPerson(frame: Frame, decided: Decided): Promise<Turn> {
  const { step, result, key, repeated = [] } = decided
  const why = [result.reason ?? '', ...repeated.map(wordsFor)].filter((part) => part !== '').join('\n')
  const about = why === '' ? result : { ...result, reason: why }
  const reply = await askAbout(frame, { step, result: about, key })
  switch (reply.type) {
    case 'again':
      return { type: 'on', to: step.id, feedback: told(decided, reply.feedback) }
    case 'onwards':
      return approve(frame, { ...endedOf(decided), key: `${key}/approved` })
    case 'back': {
      const { feedback } = reply
      return sendBack(frame, {
        ...endedOf(decided),
        ...{ result: reply.result, key: `${key}/rejected`, feedback },
      })
    }
  }
}

/** A person can overrule a verdict, not a check: what the engine can check itself is checked first. */
async function approve(frame: Frame, approved: Ended): Promise<Turn> {
  const { step, result, key } = approved
  if (!canBeRechecked(step) || step.gates.length === 0) return endWell(frame, approved)
  const { runDeadline } = limitsOf(frame)
  const gates = await frame.performer.recheck(frame.context, {
    ...{ step, key, values: valuesIn(frame), agreed: agreedOf(step, frame) },
    ...(runDeadline === undefined ? {} : { runDeadline }),
  })
  if (gates.every(({ met }) => met)) return endWell(frame, approved)
  const unmet = { ...approved, result: { ...result, gates } }
  const question = questionOf(frame, unmet)
  return askPerson(frame, { ...unmet, question, move: { type: 'ask' } })
}

/** A person's `reject` takes the step's revise route, or runs the step again where that leads nowhere else. */
async function sendBack(frame: Frame, rejected: Ended & { feedback: Frame['feedback'] }): Promise<Turn> {
  const { step, result, feedback } = rejected
  const question = questionOf(frame, rejected)
  const move = chooseRoute(question)
  const hasRoute = routeLabel(step, result) !== undefined && move.type !== 'ask'
  if (hasRoute) return act(frame, { ...rejected, question, move })
  return { type: 'on', to: step.id, feedback: told(rejected, feedback) }
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
