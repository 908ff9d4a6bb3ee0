import type { Capability } from './workflow.ts'
import type { Json } from './json.ts'

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
  readonly worktree: string
  /** A folder of this call's own: configuration home, scratch files. Outside the worktree. */
  readonly home: string
  readonly promptFile: string
  readonly answerSchema?: Json
  /** Variables that the project asked for (ports and the like). */
  readonly env: Readonly<Record<string, string>>
  /** What templates in a provider's own files may use. */
  readonly values: { readonly [key: string]: Json }
}

interface AgentCommand {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
}

/** Why an agent's process did not give a usable answer. */
export const agentErrors = ['not_found', 'refused', 'timeout', 'idle', 'crash', 'time'] as const

export type AgentError = (typeof agentErrors)[number]

/** A kind of agent tool. One file each in agents/. */
export interface Provider {
  readonly name: string
  /** Exit codes that mean the same however often it is tried: a mistake in what the agent was given. */
  readonly finalExitCodes?: readonly number[]
  /** Refuses, before anything is made, what cannot work: a missing command, a missing script. */
  check(): Promise<void>
  /** Files to keep with the run so that resume does not depend on anything the user edits meanwhile. */
  command(request: AgentRequest): Promise<AgentCommand>
}
