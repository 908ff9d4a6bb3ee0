import { callTool } from '../support/one-agent.ts'
import type { Called, OneCall } from '../support/one-agent.ts'
import { startModelServer } from '../support/model-servers/model-server.ts'
import type { Asked, Kind, Play } from '../support/model-servers/model-server.ts'
import { binFolder } from './install.mjs'

/** Where the real tools are, and what they need of the system. */
export const toolPath = `${binFolder}:${process.env['PATH'] ?? ''}`

export interface Conversed extends Called {
  readonly asked: readonly Asked[]
}

/** One call of a real tool with a scripted model. */
export async function converse(kind: Kind, play: Play, call: Partial<OneCall> = {}): Promise<Conversed> {
  await using server = await startModelServer(kind, play)
  const env = { HOME: '/nonexistent', ...server.env, ...call.env }
  const called = await callTool(kind, { prompt: 'Do the work.', ...call, path: toolPath, env })
  return { ...called, asked: server.asked }
}
