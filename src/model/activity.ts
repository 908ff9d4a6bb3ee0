import type { AgentEvent } from './agent.ts'

/** What an agent is heard to do while it works. Shown, never recorded: the files of the call have all of it. */
export interface Activity {
  readonly role: string
  readonly step: string
  readonly event: AgentEvent
  /** A line of the answer itself, from a tool that prints nothing else. */
  readonly isAnswer: boolean
}
