import type { Json } from '../model/json.ts'
import type { Decision, HookDialect, ToolCall } from '../model/tool-call.ts'
import type { AnswerShapes } from './hook-script.ts'
import { objectIn, textIn, wordIn } from './json-line.ts'

const beginning = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":'

export const claudeShapes: AnswerShapes = { allow: `${beginning}"allow"`, deny: `${beginning}"deny"` }

const readTools = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'])
const webTools = new Set(['WebFetch', 'WebSearch'])
const agentTools = new Set(['Agent', 'Task'])
const writeTools = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])

/** PreToolUse: JSON in, JSON out. */
export const claudeDialect: HookDialect = {
  read(raw) {
    const input = objectIn(raw)
    if (input?.['hook_event_name'] !== 'PreToolUse') return undefined
    return callOf(wordIn(input, 'tool_name'), input['tool_input'], textIn(input, 'cwd'))
  },
  answer: preToolUseAnswer,
}

/** Codex speaks the same words. */
export function preToolUseAnswer({ allow, reason }: Decision): { stdout: string; code: number } {
  const hookSpecificOutput = {
    ...{ hookEventName: 'PreToolUse', permissionDecision: allow ? 'allow' : 'deny' },
    ...(allow ? {} : { permissionDecisionReason: reason }),
  }
  return { stdout: `${JSON.stringify({ hookSpecificOutput })}\n`, code: 0 }
}

function callOf(name: string, given: Json | undefined, cwd: string | undefined): ToolCall {
  if (name === 'Bash')
    return { name, kind: 'shell', command: wordIn(given, 'command'), ...(cwd === undefined ? {} : { cwd }) }
  if (writeTools.has(name)) return { name, kind: 'write', paths: [pathIn(given)] }
  if (readTools.has(name)) return { name, kind: 'read', paths: [pathIn(given)] }
  // The tool that takes the answer where a schema was handed over: it looks at nothing and changes nothing.
  if (name === 'StructuredOutput') return { name, kind: 'read', paths: [] }
  if (webTools.has(name)) return webCall(name, textIn(given, 'url'))
  if (agentTools.has(name)) return { name, kind: 'agent' }
  return mcpCall(name) ?? { name, kind: 'other' }
}

function webCall(name: string, url: string | undefined): ToolCall {
  return { name, kind: 'web', ...(url === undefined ? {} : { url }) }
}

function pathIn(given: Json | undefined): string {
  return textIn(given, 'file_path') ?? textIn(given, 'notebook_path') ?? textIn(given, 'path') ?? '.'
}

/** `mcp__server__tool` */
export function mcpCall(name: string): ToolCall | undefined {
  const found = /^mcp__(.+?)__(.+)$/.exec(name)
  return found ? { name, kind: 'mcp', server: found[1] ?? '', tool: found[2] ?? '' } : undefined
}
