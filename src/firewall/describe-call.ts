import type { ToolCall } from '../model/tool-call.ts'

const longest = 300

/** What a tool call is about, in one short line for logs and screens. */
export function describeCall(call: ToolCall): string {
  const text = subjectOf(call).replaceAll(/\s+/g, ' ').trim()
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}

function subjectOf(call: ToolCall): string {
  switch (call.kind) {
    case 'shell':
      return call.command
    case 'write':
    case 'read':
      return `${call.kind} ${call.paths.join(', ')}`
    case 'web':
      return `web ${call.url ?? ''}`
    case 'mcp':
      return `mcp ${call.server}/${call.tool}`
    case 'agent':
    case 'other':
      return `${call.kind} ${call.name}`
  }
}
