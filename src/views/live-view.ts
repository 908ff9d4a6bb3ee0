import type { AgentEvent } from '../model/agent.ts'
import { formatDuration } from '../model/duration.ts'
import type { JournalLine } from '../model/event.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { nothingSpent, spentAfter, spentText } from './live-spending.ts'
import type { LiveLimits, LiveSpending } from './live-spending.ts'

/** What the last lines of a terminal show while a run works: where it is, who works, what they do just now. */
export interface LiveState {
  readonly run: string
  readonly startedAt: string
  /** Steps in the order of their first visit, each with how often it was come to. */
  readonly trail: readonly { readonly step: string; readonly visits: number; readonly outcome: string }[]
  readonly current: string
  readonly role: string
  readonly who: string
  readonly call: number
  readonly stepStartedAt: string
  /** By the agents that have ended, as far as their tools say. */
  readonly spent: LiveSpending
  readonly limits: LiveLimits
  /** The agent's last words or tool call. */
  readonly action: string
  readonly over: boolean
}

export const nothingLive: LiveState = {
  ...{ run: '', startedAt: '', trail: [], current: '', role: '', who: '', call: 1, stepStartedAt: '' },
  ...{ spent: nothingSpent, limits: {}, action: '', over: true },
}

export function foldLive(state: LiveState, line: JournalLine): LiveState {
  return folds[line.type]?.(state, line) ?? state
}

type Fold = (state: LiveState, line: JournalLine) => LiveState

const rest: Fold = (state) => ({ ...state, over: true, action: '' })

const folds: Readonly<Record<string, Fold>> = {
  'run.started': ({ limits }, { data, ts }) => ({
    ...nothingLive,
    ...{ limits, run: textOf(data['run']), startedAt: ts, over: false },
  }),
  'run.resumed': (state, { ts }) => ({ ...state, startedAt: state.startedAt || ts, over: false }),
  'person.answered': (state) => ({ ...state, over: false }),
  'step.started': (state, { data, role, ts }) => {
    const step = textOf(data['step'])
    return {
      ...state,
      ...{ current: step, role, who: '', call: 1, action: '', stepStartedAt: ts, over: false },
      trail: changed(state.trail, step, ({ visits }) => ({ step, visits: visits + 1, outcome: '' })),
    }
  },
  'agent.started': (state, { data }) => ({
    ...state,
    ...{ who: [data['provider'], data['model']].map(textOf).filter(Boolean).join(' ') },
    ...{ call: Number(data['call'] ?? 1), action: '' },
  }),
  'agent.finished': (state, { data }) => ({ ...state, spent: spentAfter(state.spent, data['usage']) }),
  'step.finished': (state, { data }) => {
    const outcome = textOf(data['outcome'])
    const trail = changed(state.trail, textOf(data['step']), (step) => ({ ...step, outcome }))
    return { ...state, trail, action: '', who: '' }
  },
  'person.asked': rest,
  'run.waiting': rest,
  'run.stopped': rest,
  'run.finished': rest,
}

type Trail = LiveState['trail']

function changed(trail: Trail, step: string, change: (found: Trail[number]) => Trail[number]): Trail {
  const at = trail.findIndex((one) => one.step === step)
  const found = trail[at]
  return found ? trail.with(at, change(found)) : [...trail, change({ step, visits: 0, outcome: '' })]
}

/** A tool call or a word of the agent, as one line; undefined for what nobody would want to see pass by. */
export function activityText(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'text':
      return lastLine(event.text)
    case 'tool_call':
      return `${event.name} ${oneArgument(event.input)}`.trim()
    case 'error':
      return lastLine(event.message)
    case 'started':
    case 'tool_result':
    case 'usage':
    case 'finished':
      return undefined
  }
}

/** Of a tool's arguments the one that says most; the others are in the recording. */
const telling = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'prompt']

function oneArgument(input: Json): string {
  if (!isJsonObject(input)) return lastLine(textOf(input)) ?? ''
  const name = telling.find((one) => input[one] !== undefined)
  return lastLine(textOf(name === undefined ? input : input[name])) ?? ''
}

function lastLine(text: string): string | undefined {
  const line = text
    .split('\n')
    // The end of a block of code or JSON tells nobody anything.
    .findLast((one) => /[\p{L}\p{N}]/u.test(one))
    ?.trim()
  // What an agent prints may hold commands to the terminal: nothing of it is obeyed.
  // oxlint-disable-next-line no-control-regex -- these are the characters it is about
  return line?.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, ' ')
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

/** Two lines: the way so far, and what is going on. Never wider than the terminal. */
export function liveLines(state: LiveState, screen: Screen): readonly string[] {
  if (state.over || state.current === '') return []
  const paint = (code: number, text: string): string =>
    screen.color ? `\u001B[${code}m${text}\u001B[0m` : text
  const width = Math.max(3, screen.columns - 1)
  const at = spinner[screen.frame % spinner.length] ?? ''
  return [
    paint(2, cutBefore(trailText(state), width)),
    paint(36, cut(`${at} ${nowText(state, screen)}`, width)),
  ]
}

function nowText(state: LiveState, screen: Screen): string {
  const visits = state.trail.find(({ step }) => step === state.current)?.visits ?? 1
  return [
    state.role || state.current,
    ...(state.who === '' ? [] : [state.who]),
    ...(visits > 1 ? [`round ${visits}`] : []),
    ...(state.call > 1 ? [`call ${state.call}`] : []),
    `${since(state.stepStartedAt, screen)} of ${since(state.startedAt, screen)}`,
    ...spentText(state.spent, state.limits),
    ...(state.action === '' ? [] : [cut(state.action, longestAction)]),
  ].join(', ')
}

function trailText({ trail, current }: LiveState): string {
  const steps = trail.map(({ step, visits, outcome }) => {
    const name = visits > 1 ? `${step} x${visits}` : step
    if (step === current && outcome === '') return `[${name}]`
    return outcome === 'ok' || outcome === '' ? name : `${name} (${outcome})`
  })
  return steps.join(' > ')
}

function since(ts: string, { now }: Screen): string {
  const milliseconds = now - Date.parse(ts)
  return milliseconds >= 1000 ? formatDuration(milliseconds) : '0s'
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 3))}...`
}

/** Where the run is just now stands at the end. */
function cutBefore(text: string, width: number): string {
  return text.length <= width ? text : `...${text.slice(text.length - Math.max(0, width - 3))}`
}
