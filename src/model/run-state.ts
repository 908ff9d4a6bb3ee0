import type { JsonObject } from './json.ts'

export type RunStatus =
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
  /** The item of a list that it was done for. */
  readonly item?: string
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
  /** The process that asked is there and takes the answer itself. */
  readonly stays: boolean
  readonly startedAt: string
  readonly updatedAt: string
  /** How long nobody ran it between its processes: that is no time of its work. */
  readonly pausedMs: number
  readonly steps: readonly StepState[]
  /** Newest artifact of each step, by step id. */
  readonly artifacts: Readonly<Record<string, readonly string[]>>
  readonly backlog: readonly string[]
}

/** The same without what every step came to, which grows with the run. */
export type RunFacts = Omit<RunState, 'steps'>

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
    stays: false,
    verbs: [],
    startedAt: '',
    updatedAt: '',
    pausedMs: 0,
  },
  ...{ steps: [], artifacts: {}, backlog: [] },
}

export function openRunState(): RunState {
  return nothingYet
}

export function openRunFacts(): RunFacts {
  const { steps: _steps, ...facts } = nothingYet
  return facts
}

/** Whether there is nothing left to resume or to cancel. */
export function isOver({ status }: Pick<RunState, 'status'>): boolean {
  return status === 'delivered' || status === 'failed' || status === 'cancelled'
}
