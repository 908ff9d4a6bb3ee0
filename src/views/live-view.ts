import type { JournalLine } from '../model/event.ts'
import { textOf } from '../model/json.ts'
import { itemStarted, levelLines, listStarted, roundOf, stepFinished, stepStarted } from './live-levels.ts'
import type { Levels } from './live-levels.ts'
import { nothingSpent, spentAfter, spentText, wholeSeconds } from './live-spending.ts'
import type { LiveLimits, LiveSpending } from './live-spending.ts'

/** What the last lines of a terminal show while a run works: where it is, who works, what they do just now. */
export interface LiveState {
  readonly run: string
  /** Times are those of a clock that stands still while no process works on the run, as its time limit does. */
  readonly pausedMs: number
  readonly startedAt: number
  /** What the time limit counts from: a verb has its own. */
  readonly limitFrom: number
  readonly stepStartedAt: number
  /** When the latest line was written, by anybody's clock. */
  readonly latest: number
  readonly levels: Levels
  readonly role: string
  readonly who: string
  readonly call: number
  /** By the agents that have ended, as far as their tools say. */
  readonly spent: LiveSpending
  readonly limits: LiveLimits
  /** The agent's last words or tool call. */
  readonly action: string
  readonly over: boolean
}

export const nothingLive: LiveState = {
  ...{ run: '', pausedMs: 0, startedAt: 0, limitFrom: 0, stepStartedAt: 0, latest: 0 },
  ...{ levels: [], role: '', who: '', call: 1 },
  ...{ spent: nothingSpent, limits: {}, action: '', over: true },
}

export function foldLive(state: LiveState, line: JournalLine): LiveState {
  return { ...(folds[line.type]?.(state, line) ?? state), latest: Date.parse(line.ts) }
}

type Fold = (state: LiveState, line: JournalLine) => LiveState

const rest: Fold = (state) => ({ ...state, over: true, action: '' })

const folds: Readonly<Record<string, Fold>> = {
  'run.started': ({ limits }, { data, ts }) => {
    const now = Date.parse(ts)
    return { ...nothingLive, limits, run: textOf(data['run']), startedAt: now, limitFrom: now, over: false }
  },
  'run.resumed': (state, { ts }) => {
    const now = Date.parse(ts)
    if (state.run === '') return { ...state, startedAt: now, limitFrom: now, over: false }
    return { ...state, pausedMs: state.pausedMs + Math.max(0, now - state.latest), over: false }
  },
  'stretch.started': (state, { ts }) => ({ ...state, limitFrom: clockOf(state, Date.parse(ts)) }),
  'person.answered': (state) => ({ ...state, over: false }),
  'step.started': (state, { data, role, ts }) => ({
    ...state,
    ...{ role: role || textOf(data['step']), who: '', call: 1, action: '', over: false },
    stepStartedAt: clockOf(state, Date.parse(ts)),
    levels: stepStarted(state.levels, data),
  }),
  // The one who judges a step is not the one who does it.
  'agent.started': (state, { data, role }) => ({
    ...state,
    ...{ role, who: [data['provider'], data['model']].map(textOf).filter(Boolean).join(' ') },
    ...{ call: Number(data['call'] ?? 1), action: '' },
  }),
  'agent.finished': (state, { data }) => ({ ...state, spent: spentAfter(state.spent, data['usage']) }),
  'step.finished': (state, { data }) => ({
    ...{ ...state, action: '', who: '' },
    levels: stepFinished(state.levels, data),
  }),
  'list.started': (state, { data }) => ({ ...state, levels: listStarted(state.levels, data) }),
  'item.started': (state, { data }) => ({ ...state, levels: itemStarted(state.levels, data) }),
  'attempt.started': (state, { data }) => ({ ...state, levels: itemStarted(state.levels, data) }),
  'person.asked': rest,
  'run.waiting': rest,
  'run.stopped': rest,
  'run.finished': rest,
}

function clockOf({ pausedMs }: LiveState, instant: number): number {
  return instant - pausedMs
}

export interface Screen {
  readonly columns: number
  readonly now: number
  /** Counts up with every drawing. */
  readonly frame: number
  readonly color: boolean
}

const spinner = ['|', '/', '-', '\\']

/** C-31: of what the agent does, at most so many characters. */
const longestAction = 60

/** The way so far, one line a level, and what is going on. Never wider than the terminal. */
export function liveLines(state: LiveState, screen: Screen): readonly string[] {
  if (state.over || state.levels.length === 0) return []
  const paint = (code: number, text: string): string =>
    screen.color ? `\u001B[${code}m${text}\u001B[0m` : text
  const width = Math.max(3, screen.columns - 1)
  const at = spinner[screen.frame % spinner.length] ?? ''
  return [
    ...levelLines(state.levels, width).map((line) => paint(2, line)),
    paint(36, cut(`${at} ${nowText(state, screen)}`, width)),
  ]
}

function nowText(state: LiveState, screen: Screen): string {
  const round = roundOf(state.levels)
  const since = (from: number): number => clockOf(state, screen.now) - from
  return [
    state.role,
    ...(state.who === '' ? [] : [state.who]),
    ...(round > 1 ? [`round ${round}`] : []),
    ...(state.call > 1 ? [`call ${state.call}`] : []),
    `${wholeSeconds(since(state.stepStartedAt))} (run ${wholeSeconds(since(state.startedAt))})`,
    ...spentText({ ...state.spent, timeMs: since(state.limitFrom) }, state.limits),
    ...(state.action === '' ? [] : [cut(state.action, longestAction)]),
  ].join(', ')
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 3))}...`
}
