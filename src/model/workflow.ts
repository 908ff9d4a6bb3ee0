import type { Json, JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { GateDefinition, Phase, StateSpec, Supervision } from './supervision.ts'

/** A workflow as the engine runs it: loaded, checked, defaults laid in. Data only; the engine knows no role by name. */
export interface Workflow {
  readonly name: string
  readonly description: string
  readonly inputs: Readonly<Record<string, InputSpec>>
  /** Name of the mode to where it begins and, perhaps, after which step it stops. */
  readonly modes: Readonly<Record<string, ModeSpec>>
  readonly paths: Readonly<Record<string, string>>
  readonly policy: Policy
  /** Commands for checks that neither the project nor its settings name. */
  readonly checks: Readonly<Record<string, WorkflowCheck>>
  readonly budget: { readonly time?: string; readonly phases?: Readonly<Record<string, Phase>> }
  /** Gates that the file defines itself, by name. Their conditions are laid into the steps that name them. */
  readonly gates?: Readonly<Record<string, GateDefinition>>
  readonly supervision?: Supervision
  /** What the state of a run is called where machines read it. */
  readonly state?: StateSpec
  readonly says: Says
  readonly emits: Emits
  readonly roles: Readonly<Record<string, Role>>
  readonly steps: readonly Step[]
  readonly fragments: Readonly<Record<string, readonly Step[]>>
}

/** What holds for the whole run. Whatever stands here is enforced, or the file was refused. */
interface Policy {
  readonly branch: string
  readonly worktree: string
  /** Nobody but the provider's process opens a connection, and that only to this machine. */
  readonly network?: 'none'
  /** `read_only`: no test file that exists is changed; new ones are allowed. */
  readonly tests?: 'read_only' | 'may_write'
  /** What becomes of a test command that found no tests: `warn`, `fail`, or a variable. */
  readonly noTests?: string
  /** What the keys of a test result begin with, where it is not pytest that runs; may be one variable. */
  readonly resultKeys?: string
  readonly limits?: Limits
  readonly cut?: Cut
}

/** In characters. */
export interface Limits {
  /** Of any text of an answer but a file's content. */
  readonly text?: number
  /** Of one file's content. */
  readonly content?: number
  /** Of the whole answer. */
  readonly answer?: number
}

/** How a long text is shortened: its beginning, a mark, its end. */
export interface Cut {
  readonly above: number
  readonly head: number
  readonly between: string
  readonly tail: number
}

export interface WorkflowCheck {
  readonly command: readonly [string, ...string[]]
  /** Exit codes with a word of their own. */
  readonly labels: Readonly<Record<string, string>>
  /** Kinds of project that it is better for than what their files say; it is used as well where they say nothing. */
  readonly kinds: readonly ProjectKind[]
}

export const projectKinds = ['node', 'rust', 'go', 'python', 'make'] as const

export type ProjectKind = (typeof projectKinds)[number]

export interface InputSpec {
  readonly description: string
  readonly required: boolean
  readonly list: boolean
  readonly type: 'text' | 'number' | 'duration'
  readonly default?: Json
  readonly options?: readonly string[]
  readonly pattern?: string
  /** A file such as `runs/plan_0001.json`: the default is the first name like it that is free. */
  readonly next?: string
  /** Runs are known by it: at most one that is not over has the same value. */
  readonly identifies?: boolean
}

/** A stretch of the run, and a verb of the command line. */
export interface ModeSpec {
  readonly from: string
  /** The run pauses after it; the next verb goes on with the same run. */
  readonly to?: string
  readonly description?: string
  /** Inputs that are words after the verb, in this order; the last one takes all that is left. */
  readonly takes?: readonly string[]
  /** Whether it may begin a run. Without a word, those do that have no end. */
  readonly starts?: boolean
}

export type Says = Readonly<Record<string, string>>
export type Emits = Readonly<Record<string, { readonly type: string; readonly data?: JsonObject }>>

export type Capability = 'read' | 'edit' | 'shell' | 'commit' | 'merge' | 'investigate' | 'web_search'

export interface Role {
  readonly name: string
  readonly title: string
  /** Reference of the prompt file, resolved by config. */
  readonly prompt: string
  readonly system?: string
  readonly provider: string
  readonly model?: string
  /** Who plays the role while its own provider's quota is used up. */
  readonly fallback?: string
  readonly capabilities: readonly Capability[]
  readonly mayWrite: readonly string[]
  /** What the agent can reach from inside the walls: nothing, its own service, or that and these hosts. */
  readonly network?: 'none' | 'provider' | readonly string[]
  readonly commits: 'agent' | 'engine'
  /** `engine`: the answer holds whole files, and the engine writes them. */
  readonly edits: 'agent' | 'engine'
  readonly answer: 'json_tail' | 'json_only'
  readonly output?: string
  /** Field of the answer to its words to outcomes; the first field that is present decides. */
  readonly verdicts: Readonly<Record<string, Readonly<Record<string, Outcome>>>>
  readonly feedback: string
  readonly retry: { readonly maxAttempts: number; readonly delayMs: number; readonly backoff: number }
  readonly repair: number
  /** Of a whole call, of silence, and of silence while a tool of the agent's is at work. */
  readonly timeout: { readonly wallMs: number; readonly idleMs: number; readonly toolMs: number }
}

export interface StepCommon {
  readonly id: string
  readonly when: Conditions
  readonly reads: readonly string[]
  readonly writes: readonly WriteSpec[]
  readonly with: JsonObject
  readonly gates: readonly GateSpec[]
  /** Of the file's own gates that the step names, those about which the supervising role is asked. */
  readonly judged?: readonly string[]
  readonly phase?: string
  readonly budget?: { readonly time: string | number }
  readonly on: Readonly<Record<string, Route>>
  readonly next?: string
  readonly says: Says
  readonly emits: Emits
  /** Inputs that have another value once the step has ended. */
  readonly sets?: Readonly<Record<string, string>>
}

/** Every name equals one of its values. */
type Conditions = Readonly<Record<string, readonly (string | number | boolean)[]>>

export interface AgentStep extends StepCommon {
  readonly type: 'agent'
  readonly role: Role
}

export interface CheckStep extends StepCommon {
  readonly type: 'check'
  readonly checks: readonly string[]
  readonly timeoutMs: number
}

export interface DoStep extends StepCommon {
  readonly type: 'do'
  readonly action: string
}

export interface EachStep extends StepCommon {
  readonly type: 'each'
  readonly list: string
  readonly only?: string
  readonly attempts: number | string
  readonly steps: readonly Step[]
}

export interface AskStep extends StepCommon {
  readonly type: 'ask'
  readonly question: string
}

/** A judgement of the item or the run that it stands in. */
export interface VerifyStep extends StepCommon {
  readonly type: 'verify'
  readonly gate: string
}

export type Step = AgentStep | CheckStep | DoStep | EachStep | AskStep | VerifyStep
/** The steps that somebody other than the interpreter performs. */
export type WorkStep = AgentStep | CheckStep | DoStep

export interface WriteSpec {
  readonly path: string
  /** Where the agent left no file, the engine writes the answer there. */
  readonly orAnswer: boolean
  /** What stands there already may stay as it is. */
  readonly orKept?: boolean
}

/** What a workflow may write about a gate. */
export interface GateShape {
  /**
   * Of its parameter: `{ score: 70 }` takes a number, `{ tests_not_weakened: plan }` a step, `{ ids_in_order: tasks }`
   * a field of the answer, `{ answer: { ... } }` fields with their values; a list may be one variable; `{ task_list_valid: tasks.md }`
   * a text.
   */
  readonly takes: 'nothing' | 'number' | 'step' | 'field' | 'fields' | 'list' | 'text'
  /** Keys that may stand beside it. */
  readonly options: readonly string[]
  /** It judges an answer, commits or artifacts, which only an agent's step has. */
  readonly agentOnly: boolean
}

export interface GateSpec {
  readonly name: string
  readonly parameters: JsonObject
  /** The gate of the file whose condition it is. */
  readonly of?: string
  readonly when?: Conditions
}

export interface Route {
  readonly type: 'to' | 'call'
  /** A step, a reserved word, or (type `call`) a fragment. */
  readonly target: string
  readonly feedback?: string
  readonly limit?: number | string
  readonly once: boolean
  readonly then?: Route
  readonly maxDepth?: number
  /** Time for all its laps together: a duration, or a share of the time of the item. */
  readonly budget?: string | number
  readonly emits?: { readonly type: string; readonly data?: JsonObject }
}
