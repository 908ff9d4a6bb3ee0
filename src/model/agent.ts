import type { Json } from './json.ts'
import type { HookDialect } from './tool-call.ts'
import type { Capability } from './workflow.ts'

/** One call of an agent: what a provider needs in order to start it. */
export interface AgentRequest {
  readonly role: string
  readonly title: string
  readonly step: string
  /** Which visit of the step, and which call within that visit (repairs and retries count on). */
  readonly visit: number
  readonly call: number
  readonly model?: string
  readonly capabilities: readonly Capability[]
  /** Whether it has any file to write: its report, or the code. Where, is judged afterwards. */
  readonly mayWrite: boolean
  readonly worktree: string
  /** A folder of this call's own: configuration home, scratch files. Outside the worktree. */
  readonly home: string
  readonly promptFile: string
  /** What the role is, where the tool takes it apart from the prompt; the prompt says it as well (C-32). */
  readonly system?: string
  readonly answerSchema?: Json
  /** Asked before every tool call: an executable that takes the tool's hook input and prints the tool's answer. */
  readonly hook?: { readonly command: string }
  /** Stands in front of the tool's service; the token is worth nothing elsewhere. */
  readonly endpoint?: { readonly url: string; readonly token: string }
  /** Variables that the project asked for (ports and the like). */
  readonly env: Readonly<Record<string, string>>
  /** What templates in a provider's own files may use. */
  readonly values: { readonly [key: string]: Json }
}

export interface AgentCommand {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** Read instead of the prompt file, where the tool would take something in the prompt for a command. */
  readonly stdinFile?: string
  /** Exists as soon as the tool has run its first hook; where it is missing when the tool begins, no hook is alive. */
  readonly canaryFile?: string
  /** Files of its home that neither it nor anything it starts may change: what it is asked through before a tool call. */
  readonly sealed?: readonly string[]
}

/** Why an agent's process did not give a usable answer. */
export const agentErrors = [
  'not_found',
  'auth',
  'quota',
  'overloaded',
  'timeout',
  'idle',
  'context',
  'refused',
  'crash',
  'protocol',
  'time',
] as const

export type AgentError = (typeof agentErrors)[number]

/** An agent's failure in Baton's words; `resetsAt` in milliseconds since 1970, where the tool said when. */
export interface AgentFailure {
  readonly error: AgentError
  readonly message: string
  readonly resetsAt?: number
}

/** What every tool's stream is translated to. A number that the tool does not tell is absent, never zero. */
export type AgentEvent =
  | { readonly type: 'started'; readonly model?: string }
  /** A piece of what the agent says. With `whole` it begins anew: what was said before it is not the answer. */
  | { readonly type: 'text'; readonly text: string; readonly whole?: true }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly type: 'tool_result'; readonly id: string; readonly ok: boolean }
  /** Of the whole call so far, not of the last request: the last one counts. */
  | ({ readonly type: 'usage' } & AgentUsage)
  | ({ readonly type: 'error' } & AgentFailure)
  | { readonly type: 'finished'; readonly ok: boolean }

export interface AgentUsage {
  /** Tokens in, those from a cache included. */
  readonly input?: number
  readonly cached?: number
  readonly output?: number
  /** In US dollars, as the tool reckons it. */
  readonly cost?: number
}

/** Reads one call's output, line by line; made anew for every call because some tools spread a fact over lines. */
export interface LineParser {
  line(text: string): readonly AgentEvent[]
}

/** How a call ended, for who has to say why it failed. */
export interface AgentEnd {
  readonly code: number
  /** The end of what it wrote to its error output. */
  readonly complaint: string
  /** Whether it said anything after its last tool call. */
  readonly answered: boolean
  readonly error?: AgentFailure
  /** What its stream said at the end; absent where the stream just stops. */
  readonly finished?: boolean
}

/** What is known of a tool on this machine. */
export interface Examination {
  /** It was found, and would get in. */
  readonly ready: boolean
  readonly program?: string
  readonly version?: string
  /** The range of versions that Baton was made for, and the one it was tested with; absent for a tool of the settings. */
  readonly supports?: string
  readonly tested?: string
  readonly isSupported?: boolean
  /** How it would get in, without the secret itself; absent: it would not, or nobody can know. */
  readonly access?: string
  /** What to type or do where it is not ready, or not of a version that Baton was made for. */
  readonly mend?: string
}

/** The roles and steps that a script has something for. */
export interface ScriptEntries {
  readonly roles: readonly string[]
  readonly steps: readonly string[]
}

/** A kind of agent tool. One file each in agents/. */
export interface Provider {
  readonly name: string
  /** Exit codes that mean the same however often it is tried: a mistake in what the agent was given. */
  readonly finalExitCodes?: readonly number[]
  /** It does only what a script of the user's says: it runs without walls, unless they are asked for. */
  readonly isScripted?: boolean
  /** A program of ours that asks a server and can do nothing else: it needs that connection, and no walls around it. */
  readonly hasNoTools?: boolean
  /** The engine stops it beyond so many tool calls in one call: a tool that has no limit of its own. */
  readonly mostToolCalls?: number
  /** Its way to be asked to stop, so that it takes its own children with it. SIGTERM if absent. */
  readonly stopSignal?: 'SIGTERM' | 'SIGINT'
  /** Host names of its service: all that the tool itself has to reach. */
  readonly hosts?: readonly string[]
  /** Variables that hold the key, the first that is set; and the one that says where the service is. */
  readonly keyVariables?: readonly string[]
  readonly baseUrlVariable?: string
  /** Where its service is if that variable does not say; its first host, if absent. */
  readonly serviceUrl?: string
  /** For people who ask whether it is ready: found, its version, how it would get in. Asks no model. */
  examine?(): Promise<Examination>
  /** Refuses, before anything is made, what cannot work: a missing command, a missing script. */
  check(): Promise<void>
  /** Absent where what it says is not written beforehand. */
  entries?(): Promise<ScriptEntries>
  /** Writes what the tool needs into the call's home and says how it is started. */
  command(request: AgentRequest): Promise<AgentCommand>
  /** For the call with that home. Absent, or undefined: what the tool prints is the answer. */
  parse?(home: string): LineParser | undefined
  /** How the tool asks before a tool call. Absent: it does not ask. */
  readonly hook?: HookDialect
  /** Undefined where the call is a success; absent: exit code 0 is. */
  judge?(end: AgentEnd): AgentFailure | undefined
}
