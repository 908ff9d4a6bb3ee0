import { ofType } from './event.ts'
import type { EventType, JournalLine } from './event.ts'
import { isJsonObject, textOf } from './json.ts'
import { undoOf } from './undone.ts'
import type { JsonObject } from './json.ts'

type RunStatus =
  | 'running'
  | 'waiting'
  /** Between two stretches: the next verb goes on with it. */
  | 'paused'
  | 'stopped'
  | 'delivered'
  | 'failed'
  | 'out_of_time'
  | 'out_of_budget'
  | 'cancelled'
  /** The journal cannot be read; it says where. */
  | 'unreadable'

export interface StepState {
  readonly step: string
  readonly visit: number
  readonly role: string
  readonly outcome: string
  readonly label: string
  readonly reason: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly gates: readonly { readonly gate: string; readonly met: boolean; readonly facts: string }[]
}

/** What a run has come to: a fold of its journal, kept nowhere else. */
export interface RunState {
  readonly run: string
  readonly workflow: string
  readonly digest: string
  readonly version: string
  readonly task: string
  readonly mode: string
  /** What it was asked for, by the name of the input. */
  readonly inputs: JsonObject
  /** Between two stretches: the step that it goes on with. */
  readonly next: string
  readonly branch: string
  readonly base: string
  readonly worktree: string
  /** Which walls are in force, `down` where they were switched off; empty where none were needed. */
  readonly walls: string
  readonly status: RunStatus
  readonly currentStep: string
  readonly reason: string
  readonly exitCode?: number
  readonly question: string
  readonly verbs: readonly string[]
  /** The key of the question, which an answer to it names. */
  readonly asked: string
  readonly startedAt: string
  readonly updatedAt: string
  readonly steps: readonly StepState[]
  /** Newest artifact of each step, by step id. */
  readonly artifacts: Readonly<Record<string, readonly string[]>>
  readonly backlog: readonly string[]
  /** The state at the end of each visit, which an undo goes back to. */
  readonly ends: EndedVisit | undefined
}

/** A chain, the newest first: each step adds a link, however long the run is. */
interface EndedVisit {
  readonly visit: string
  readonly state: RunState
  readonly before: EndedVisit | undefined
}

const nothingYet: RunState = {
  ...{
    run: '',
    workflow: '',
    digest: '',
    version: '',
    task: '',
    mode: '',
    inputs: {},
    next: '',
    branch: '',
    base: '',
    worktree: '',
    walls: '',
  },
  ...{
    status: 'running',
    currentStep: '',
    reason: '',
    question: '',
    asked: '',
    verbs: [],
    startedAt: '',
    updatedAt: '',
  },
  ...{ steps: [], artifacts: {}, backlog: [], ends: undefined },
}

export function foldRun(lines: Iterable<JournalLine>): RunState {
  let state = nothingYet
  for (const line of lines) state = foldLine(state, line)
  return state
}

export function openRunState(): RunState {
  return nothingYet
}

/** Whether there is nothing left to resume or to cancel. */
export function isOver({ status }: Pick<RunState, 'status'>): boolean {
  return status === 'delivered' || status === 'failed' || status === 'cancelled'
}

export function foldLine(state: RunState, line: JournalLine): RunState {
  const fold = ofType(folds, line.type)
  return { ...(fold ? fold(state, line) : state), updatedAt: line.ts }
}

type Fold = (state: RunState, line: JournalLine) => RunState

const folds: Readonly<Partial<Record<EventType, Fold>>> = {
  'run.started': (state, { data, ts }) => ({
    ...state,
    ...pick(data, ['run', 'workflow', 'digest', 'version', 'task', 'mode']),
    inputs: isJsonObject(data['inputs']) ? data['inputs'] : {},
    walls: textOf(data['walls']),
    startedAt: ts,
  }),
  'stretch.started': (state, { data }) => ({
    ...state,
    ...{ status: 'running', mode: textOf(data['mode']), next: '', reason: '' },
  }),
  'run.paused': (state, { data }) => ({
    ...state,
    status: 'paused',
    ...pick(data, ['next', 'reason', 'mode']),
  }),
  'run.resumed': (state, { data }) => ({
    ...state,
    walls: textOf(data['walls']),
    status: 'running',
    question: '',
    asked: '',
    verbs: [],
    reason: '',
  }),
  'run.undone': goBack,
  'branch.created': (state, { data }) => ({ ...state, ...pick(data, ['branch', 'base', 'worktree']) }),
  'step.started': startStep,
  'gate.checked': (state, { data }) => {
    const gate = { gate: textOf(data['gate']), met: data['met'] === true, facts: textOf(data['facts']) }
    return changeLast(state, textOf(data['step']), (step) => ({ gates: [...step.gates, gate] }))
  },
  'step.finished': finishStep,
  'backlog.added': (state, { data }) => ({ ...state, backlog: [...state.backlog, ...texts(data['items'])] }),
  'run.waiting': (state, { data }) => ({
    ...state,
    status: 'waiting',
    question: textOf(data['question']),
    verbs: texts(data['verbs']),
    asked: textOf(data['asked']),
    currentStep: textOf(data['step']),
  }),
  'person.answered': (state) => ({ ...state, status: 'running', question: '', asked: '', verbs: [] }),
  'run.stopped': (state, { data }) => ({ ...state, status: 'stopped', reason: textOf(data['message']) }),
  'run.finished': (state, { data }) => ({
    ...state,
    status: finalStatus(textOf(data['outcome'])),
    reason: textOf(data['reason']),
    next: '',
    question: '',
    asked: '',
    verbs: [],
    ...(typeof data['exit_code'] === 'number' ? { exitCode: data['exit_code'] } : {}),
  }),
}

function startStep(state: RunState, { data, role, ts }: JournalLine): RunState {
  const step: StepState = {
    ...{ step: textOf(data['step']), visit: Number(data['visit'] ?? 1), role, startedAt: ts },
    ...{ outcome: '', label: '', reason: '', finishedAt: '', gates: [] },
  }
  return { ...state, currentStep: step.step, steps: [...state.steps, step] }
}

function finishStep(state: RunState, { data, ts }: JournalLine): RunState {
  const id = textOf(data['step'])
  const ended = { ...pick(data, ['outcome', 'label', 'reason']), finishedAt: ts }
  const writes = texts(data['writes'])
  const artifacts = writes.length === 0 ? state.artifacts : { ...state.artifacts, [id]: writes }
  const next: RunState = { ...changeLast(state, id, () => ended), artifacts }
  const visit = textOf(data['key']).replace(/\/finished$/, '')
  return { ...next, ends: { visit, state: next, before: state.ends } }
}

function goBack(state: RunState, line: JournalLine): RunState {
  const { to } = undoOf(line)
  let ends = state.ends
  while (ends && ends.visit !== to) ends = ends.before
  return { ...(ends?.state ?? state), ends, status: 'stopped', reason: `undone: back at the end of ${to}` }
}

function changeLast(state: RunState, id: string, change: (step: StepState) => Partial<StepState>): RunState {
  const at = state.steps.findLastIndex(({ step }) => step === id)
  const step = state.steps[at]
  return step === undefined ? state : { ...state, steps: state.steps.with(at, { ...step, ...change(step) }) }
}

function finalStatus(outcome: string): RunStatus {
  if (outcome === 'ok') return 'delivered'
  if (outcome === 'time') return 'out_of_time'
  if (outcome === 'spending') return 'out_of_budget'
  return outcome === 'cancelled' ? 'cancelled' : 'failed'
}

function pick<K extends string>(data: JsonObject, keys: readonly K[]): Record<K, string> {
  return Object.fromEntries(keys.map((key) => [key, textOf(data[key])])) as Record<K, string>
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
