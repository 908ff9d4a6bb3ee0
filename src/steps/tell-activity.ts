import { StringDecoder } from 'node:string_decoder'
import type { AgentEvent } from '../model/agent.ts'
import type { AgentCall } from './agent-call.ts'
import type { Watch } from './watch-agent.ts'

/** Passes on what an agent is heard to do; it never stops one. */
export function tellEvents({ site, step }: AgentCall): Watch {
  const { onActivity } = site
  return (event: AgentEvent) => {
    onActivity?.({ role: step.role.title, step: step.id, event, isAnswer: false })
    return undefined
  }
}

/** The same for a tool whose output is the answer itself: each line of it. */
export function tellLines({ site, step }: AgentCall): ((chunk: Buffer) => void) | undefined {
  const { onActivity } = site
  if (!onActivity) return undefined
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (chunk) => {
    const pieces = `${rest}${decoder.write(chunk)}`.split('\n')
    rest = (pieces.pop() ?? '').slice(-longestLine)
    for (const text of pieces.filter((piece) => piece.trim() !== ''))
      onActivity({ role: step.role.title, step: step.id, event: { type: 'text', text }, isAnswer: true })
  }
}

/** A line without an end is not kept for ever. */
const longestLine = 10_000
