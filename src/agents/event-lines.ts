import * as z from 'zod'
import { agentErrors } from '../model/agent.ts'
import type { AgentEnd, AgentEvent, AgentFailure, LineParser } from '../model/agent.ts'

/** Baton's own events as JSON lines: what a scripted agent prints when it plays a tool with a stream. */

/** Made when the first line is read: most agents print none. */
let shape: ReturnType<typeof shapeOfEvents> | undefined

function shapeOfEvents() {
  const count = z.number().min(0).optional()
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('started'), model: z.string().optional() }),
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), input: z.json() }),
    z.object({ type: z.literal('tool_result'), id: z.string(), ok: z.boolean() }),
    z.object({ type: z.literal('usage'), input: count, cached: count, output: count, cost: count }),
    z.object({
      type: z.literal('error'),
      error: z.enum(agentErrors),
      message: z.string(),
      resetsAt: z.number().optional(),
    }),
    z.object({ type: z.literal('finished'), ok: z.boolean() }),
  ])
}

/** A line that is no event is what some command of the agent's printed, and says nothing. */
export const eventLines: LineParser = {
  line(text) {
    shape ??= shapeOfEvents()
    const parsed = shape.safeParse(valueOf(text))
    return parsed.success ? [parsed.data as AgentEvent] : []
  },
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What the stream calls an error is one, whatever the exit code; else the exit code says it. */
export function judgeEvents(
  { error, code, complaint }: AgentEnd,
  finalExitCodes: readonly number[],
): AgentFailure | undefined {
  if (error) return error
  if (code === 0) return undefined
  const last = complaint.trim().split('\n').at(-1) ?? ''
  const message = `the agent ended with exit code ${code}${last === '' ? '' : `: ${last}`}`
  return { error: finalExitCodes.includes(code) ? 'refused' : 'crash', message }
}
