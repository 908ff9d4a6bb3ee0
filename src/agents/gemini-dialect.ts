import type { HookDialect, ToolCall } from '../model/tool-call.ts'
import type { AnswerShapes } from './hook-script.ts'
import { objectIn, textIn, wordIn } from './json-line.ts'

export const geminiShapes: AnswerShapes = { allow: '{"decision":"allow"', deny: '{"decision":"deny"' }

const readTools = new Set([
  'read_file',
  'read_many_files',
  'list_directory',
  'glob',
  'grep_search',
  'search_file_content',
])
const harmless = new Set(['list_background_processes', 'read_background_output'])

/** BeforeTool: JSON in, JSON out. */
export const geminiDialect: HookDialect = {
  read(raw) {
    const input = objectIn(raw)
    if (input?.['hook_event_name'] !== 'BeforeTool') return undefined
    const name = wordIn(input, 'tool_name')
    const given = input['tool_input']
    const path = textIn(given, 'file_path') ?? textIn(given, 'dir_path') ?? textIn(given, 'path') ?? '.'
    if (name === 'run_shell_command') {
      const cwd = textIn(given, 'dir_path')
      return {
        name,
        kind: 'shell',
        command: wordIn(given, 'command'),
        ...(cwd === undefined ? {} : { cwd }),
      }
    }
    if (name === 'write_file' || name === 'replace') return { name, kind: 'write', paths: [path] }
    return otherCall(name, path)
  },
  answer({ allow, reason }) {
    return {
      stdout: `${JSON.stringify(allow ? { decision: 'allow' } : { decision: 'deny', reason })}\n`,
      code: 0,
    }
  },
}

function otherCall(name: string, path: string): ToolCall {
  if (readTools.has(name)) return { name, kind: 'read', paths: [path] }
  if (harmless.has(name)) return { name, kind: 'read', paths: [] }
  if (name === 'google_web_search' || name === 'web_fetch') return { name, kind: 'web' }
  if (name === 'invoke_agent') return { name, kind: 'agent' }
  return { name, kind: 'other' }
}
