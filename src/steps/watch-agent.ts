import { existsSync } from 'node:fs'
import type { AgentCommand, AgentEvent, AgentFailure, LineParser } from '../model/agent.ts'
import { Transcript } from '../agents/transcript.ts'
import type { Heard } from '../agents/transcript.ts'

export interface Listener {
  readonly push: (chunk: Buffer) => void
  end(): Heard
  /** Ends when the agent has to be stopped for what it was heard to do. */
  readonly signal: AbortSignal
  stopped(): AgentFailure | undefined
}

/** Looks at every event while the agent works; what it gives is the reason to stop the agent at once. */
export type Watch = (event: AgentEvent) => AgentFailure | undefined

interface Listening {
  readonly parser: LineParser
  /** Absent for a process that has ended. */
  readonly command?: AgentCommand
  readonly others?: readonly Watch[]
}

export function listenTo(provider: string, { parser, command, others = [] }: Listening): Listener {
  const canary = command?.canaryFile
  const watches = canary === undefined ? others : [hookIsAlive(provider, canary), ...others]
  const stop = new AbortController()
  let stopped: AgentFailure | undefined
  const transcript = new Transcript(parser, (event) => {
    for (const watch of watches) stopped ??= watch(event)
    if (stopped) stop.abort()
  })
  return {
    push: (chunk) => transcript.push(chunk),
    end: () => transcript.end(),
    signal: stop.signal,
    stopped: () => stopped,
  }
}

/** Every tool call is a question to the model or more: an agent that goes round in circles comes to an end. */
export function toolCallLimit(name: string, most: number | undefined): readonly Watch[] {
  let calls = 0
  const watch: Watch = ({ type }) => {
    if (type !== 'tool_call' || most === undefined || ++calls <= most) return undefined
    return { error: 'refused', message: `${name} made more than ${most} tool calls, so it was stopped` }
  }
  return most === undefined ? [] : [watch]
}

/** A tool runs the hook for its start before it says that it has started: without that, nobody asks before tool calls. */
function hookIsAlive(name: string, canaryFile: string): Watch {
  let alive = false
  return ({ type }) => {
    if (alive || (type !== 'started' && type !== 'tool_call' && type !== 'tool_result')) return undefined
    alive = existsSync(canaryFile)
    if (alive) return undefined
    return { error: 'refused', message: `${name} did not run Baton's hook at its start, so it was stopped` }
  }
}
