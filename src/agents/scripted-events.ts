import type { AgentEvent } from '../model/agent.ts'
import type { Call } from './script-schema.ts'

// A part of the program of a scripted agent, so it loads nothing.

/** An agent that tells what it uses, works with tools or fails by name does so in a stream of events. */
export function isStream({ usage, tools, fails, model }: Call): boolean {
  return usage !== undefined || tools !== undefined || fails !== undefined || model !== undefined
}

export function eventLine(event: AgentEvent): string {
  return `${JSON.stringify(event)}\n`
}

/** The error of a call that fails by name; its time is reckoned from when the agent plays. */
export function failureEvent(fails: NonNullable<Call['fails']>, now: number): AgentEvent {
  const { error, message, resets_in: wait, resets_at: at } = fails
  const resetsAt = wait === undefined ? at : now + wait
  return {
    ...{ type: 'error', error, message: message ?? `scripted: ${error}` },
    ...(resetsAt === undefined ? {} : { resetsAt }),
  }
}
