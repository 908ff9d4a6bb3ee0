import type { Json, JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { DurableContext, Instant } from './durable.ts'
import type { TaskList } from './task-list.ts'
import type { Tally } from './usage.ts'
import type { AgentStep, DoStep, VerifyStep, Workflow, WorkStep } from './workflow.ts'

/** How a step ended. Small, plain JSON: it is kept in the journal and all routing is decided from it. */
export type StepResult = {
  readonly outcome: Outcome
  /** A verdict word, an action's or check's word, or the name of the gate that was not met. */
  readonly label?: string
  /** One sentence for people: why it did not end ok. */
  readonly reason?: string
  readonly answer?: JsonObject
  /** Paths in the worktree that the step left behind. */
  readonly writes: readonly string[]
  /** Tip of the task branch when the step ended. */
  readonly commit?: string
  readonly gates: readonly GateReport[]
  /** What checks and actions hand on by name: exit codes, paths, merge heads. */
  readonly facts: JsonObject
  /** What the calls of an agent's step have used, those that failed without a word about it aside. */
  readonly spent?: Tally
}

export type GateReport = {
  readonly gate: string
  readonly met: boolean
  readonly facts: string
  /** The gate of the file whose condition it is. */
  readonly of?: string
  /** A role's judgement: unlike a check, a person may overrule it. */
  readonly judged?: true
}

/** What a later step is told about an earlier one. */
export type Feedback = {
  readonly from: string
  readonly text: string
  readonly paths: readonly string[]
}

export type ReadItem =
  | {
      readonly type: 'artifact'
      readonly name: string
      readonly paths: readonly string[]
      readonly earlier: boolean
    }
  | { readonly type: 'answer'; readonly name: string; readonly value: Json }
  /** Of the whole branch, or since a commit of it. */
  | { readonly type: 'diff'; readonly since?: string }
  | { readonly type: 'conflicts' }

/** One visit to a step, with everything that the interpreter knows about it. */
export interface StepRequest {
  readonly workflow: Workflow
  readonly step: WorkStep
  /** Unique in the run, for example `plan#2`; the prefix of every durable key of this visit. */
  readonly key: string
  /** 1 for the first visit; the `_v[N]` of review files. */
  readonly visit: number
  readonly values: JsonObject
  readonly reads: readonly ReadItem[]
  readonly feedback: readonly Feedback[]
  /** What the supervision says about the work so far. */
  readonly guidance?: Guidance
  /** What the gates may hold the work against. */
  readonly agreed: Agreed
  /** A merge that is under way: its other side, and the tip of the task branch before it. */
  readonly mergeHead?: string
  readonly mergeFrom?: string
  readonly deadline?: Instant
  /** When the whole run has to be done: past it nothing is recorded any more, so that more time takes it up again. */
  readonly runDeadline?: Instant
}

export interface RecheckRequest {
  readonly step: AgentStep | DoStep | VerifyStep
  readonly key: string
  readonly values: JsonObject
  readonly agreed: Agreed
  readonly deadline?: Instant
  readonly runDeadline?: Instant
}

/** What was agreed before the work, and by people meanwhile. */
export interface Agreed {
  /** Of the steps that gates name: what they wrote, at the commit they left it in. An agent may edit it later. */
  readonly plans: Readonly<Record<string, { readonly paths: readonly string[]; readonly commit: string }>>
  /** Everything that people have said to this run. */
  readonly said: readonly string[]
  /** Tip of the task branch when the item, or else the run, began. */
  readonly since?: string
  /** Files that answers within the item name as evidence. */
  readonly evidence?: readonly string[]
  /** How the items of the list went so far. */
  readonly items?: ItemCounts
}

export type ItemCounts = {
  readonly total: number
  readonly ok: number
  readonly failed: readonly string[]
  /** Of the failed ones, those that another item depends on. */
  readonly needed: readonly string[]
}

/** Guidance of an escalation level for the next prompt. */
export type Guidance = {
  readonly level: string
  /** Reference of the prompt file. */
  readonly prompt: string
  readonly values: JsonObject
}

export interface ListRequest {
  readonly key: string
  readonly path: string
}

export interface ListMarks extends ListRequest {
  readonly done: readonly string[]
  readonly open: readonly string[]
}

/** Does what needs the world: makes the place where a run works, then one step at a time. */
export interface Performer {
  begin(context: DurableContext, values: JsonObject): Promise<RunPlace>
  perform(context: DurableContext, request: StepRequest): Promise<StepResult>
  /** What the engine can check of a step by itself, where a person wants to go on past its verdict. */
  recheck(context: DurableContext, request: RecheckRequest): Promise<readonly GateReport[]>
  /** A Markdown list of tasks, as it stands in the worktree. */
  readList?(context: DurableContext, list: ListRequest): Promise<TaskList>
  /** Ticks and opens boxes of it, as a commit of the engine's. */
  markList?(context: DurableContext, marks: ListMarks): Promise<{ readonly commit: string }>
}

/** Where a run works, made before its first step: not a step itself. */
export type RunPlace = {
  readonly branch: string
  readonly worktree: string
  /** Name of the base for people, and the commit it was at. */
  readonly base: string
  readonly baseCommit: string
  /** The commit the task branch begins at. */
  readonly start: string
}
