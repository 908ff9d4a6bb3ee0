import type { EventType, JournalLine } from './event.ts'
import { artifactsIn, factsIn } from './fold-facts.ts'
import type { News } from './fold-facts.ts'
import { textOf } from './json.ts'
import type { JsonObject } from './json.ts'
import { gapAt } from './paused.ts'
import { openRunFacts } from './run-state.ts'
import type { RunFacts, RunState, StepState } from './run-state.ts'
import { undoOf, visitOfEnd } from './undone.ts'

/**
 * What the lines so far come to. A run may have tens of thousands of them, and most say nothing new of its state:
 * those cost one small object, and a step costs the same however many there were before it.
 */
export interface RunFold {
  readonly facts: Facts
  readonly steps: StepChain | undefined
  readonly updatedAt: string
  /** The item that is under way, and those around it. */
  readonly item: ItemUnderWay | undefined
  /** The fold at the end of each visit, which an undo goes back to. */
  readonly ends: EndedVisit | undefined
}

type Facts = Omit<RunFacts, 'updatedAt'>

/** The newest first. */
interface StepChain {
  readonly step: StepState
  readonly before: StepChain | undefined
}

interface ItemUnderWay {
  readonly id: string
  readonly key: string
  readonly around: ItemUnderWay | undefined
}

interface EndedVisit {
  readonly visit: string
  readonly fold: RunFold
  readonly before: EndedVisit | undefined
}

export function openFold(): RunFold {
  return nothingFolded
}

const nothingFolded = ((): RunFold => {
  const { updatedAt, ...facts } = openRunFacts()
  return { facts, steps: undefined, updatedAt, item: undefined, ends: undefined }
})()

/** Many lines at once: those that change nothing cost nothing but the look at their type. */
export function foldLines(fold: RunFold, lines: readonly JournalLine[]): RunFold {
  const folded = lines.reduce((before, line, index) => {
    const change = changeOf.get(line.type)
    if (!change) return before
    const after = change(before, line)
    const gap = gapAt(lines, index, fold.updatedAt)
    return gap === 0 ? after : { ...after, facts: { ...after.facts, pausedMs: after.facts.pausedMs + gap } }
  }, fold)
  const updatedAt = lines.at(-1)?.ts ?? fold.updatedAt
  return { ...folded, updatedAt }
}

export function foldRun(lines: readonly JournalLine[]): RunState {
  return foldedState(foldLines(openFold(), lines))
}

export function foldedState({ facts, steps, updatedAt }: RunFold): RunState {
  const newestFirst: StepState[] = []
  for (let at = steps; at; at = at.before) newestFirst.push(at.step)
  return Object.assign({}, facts, { steps: newestFirst.toReversed(), updatedAt })
}

/** Without what every step came to. */
export function foldedFacts(lines: readonly JournalLine[]): RunFacts {
  const { facts, updatedAt } = foldLines(openFold(), lines)
  return { ...facts, updatedAt }
}

type Change = (fold: RunFold, line: JournalLine) => RunFold

/** A line that only says something of the run as a whole. */
function says(what: News): Change {
  return (fold, line) => ({ ...fold, facts: { ...fold.facts, ...what(line, fold.facts) } })
}

const changes: Readonly<Partial<Record<EventType, Change>>> = {
  'run.undone': goBack,
  'item.started': (fold, { data }) => ({
    ...fold,
    item: { id: textOf(data['item']), key: itemKey(data), around: fold.item },
  }),
  // One that was never begun, since another failed, ends too.
  'item.finished': (fold, { data }) =>
    fold.item?.key === itemKey(data) ? { ...fold, item: fold.item.around } : fold,
  'step.started': startStep,
  'gate.checked': (fold, { data }) => {
    const gate = { gate: textOf(data['gate']), met: data['met'] === true, facts: textOf(data['facts']) }
    const added = (step: StepState): StepState => ({ ...step, gates: [...step.gates, gate] })
    return { ...fold, steps: changeLast(fold.steps, textOf(data['step']), added) }
  },
  'step.finished': finishStep,
}

const changeOf: ReadonlyMap<string, Change> = new Map([
  ...Array.from(factsIn, ([type, what]) => [type, says(what)] as const),
  ...Object.entries(changes),
])

/** Of `work#1/T2/started` and `work#1/T2/finished`: what both are about. */
function itemKey({ key }: JsonObject): string {
  const text = textOf(key)
  return text.slice(0, text.lastIndexOf('/'))
}

function startStep(fold: RunFold, { data, role, ts }: JournalLine): RunFold {
  const { facts, steps: before, updatedAt, item, ends } = fold
  const plain: StepState = {
    step: textOf(data['step']),
    visit: Number(data['visit'] ?? 1),
    role,
    outcome: '',
    label: '',
    reason: '',
    startedAt: ts,
    finishedAt: '',
    gates: [],
  }
  // Assigned, not spread: a run may have thousands of steps, each for an item.
  const step = item ? Object.assign(plain, { item: item.id }) : plain
  return { facts: { ...facts, currentStep: step.step }, steps: { step, before }, updatedAt, item, ends }
}

function finishStep(fold: RunFold, line: JournalLine): RunFold {
  const { data, ts } = line
  const written = artifactsIn(line, fold.facts)
  const facts = written ? { ...fold.facts, ...written } : fold.facts
  const id = textOf(data['step'])
  const [outcome, label, reason] = [textOf(data['outcome']), textOf(data['label']), textOf(data['reason'])]
  const ended = (step: StepState): StepState => ({ ...step, outcome, label, reason, finishedAt: ts })
  const steps = changeLast(fold.steps, id, ended)
  const { updatedAt, item, ends: before } = fold
  const visit = visitOfEnd(textOf(data['key']))
  const next = { facts, steps, updatedAt, item, ends: before }
  return { facts, steps, updatedAt, item, ends: { visit, fold: next, before } }
}

function goBack(fold: RunFold, line: JournalLine): RunFold {
  const { to } = undoOf(line)
  let { ends } = fold
  while (ends && ends.visit !== to) ends = ends.before
  const back = ends?.fold ?? fold
  const reason = `undone: back at the end of ${to}`
  // What was taken back has taken its time all the same.
  const facts: Facts = { ...back.facts, status: 'stopped', reason, pausedMs: fold.facts.pausedMs }
  return { ...back, facts, ends }
}

/** Nearly always the newest of all; the step around a list is as far back as the list is long, once. */
function changeLast(
  chain: StepChain | undefined,
  id: string,
  change: (step: StepState) => StepState,
): StepChain | undefined {
  const newer: StepState[] = []
  let at = chain
  for (; at && at.step.step !== id; at = at.before) newer.push(at.step)
  if (!at) return chain
  let steps: StepChain = { step: change(at.step), before: at.before }
  for (const step of newer.toReversed()) steps = { step, before: steps }
  return steps
}
