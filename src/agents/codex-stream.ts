import type { AgentEnd, AgentEvent, AgentFailure, LineParser } from '../model/agent.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { failureIn, shortened } from './error-words.ts'
import { known, numberIn, objectIn, textIn, wordIn } from './json-line.ts'

type Now = () => number

/** `codex exec --json`: messages come whole, and the last one before the end of the turn is the answer. */
export function codexLines(now: Now): LineParser {
  let started = false
  return {
    line(text) {
      const events = eventsOf(objectIn(text), now)
      if (started || events.length === 0 || events[0]?.type === 'error') return events
      started = true
      // `turn.started` is printed before the hooks of the start have run: what the model does comes after them.
      return [{ type: 'started' }, ...events]
    },
  }
}

function eventsOf(line: JsonObject | undefined, now: Now): readonly AgentEvent[] {
  switch (line?.['type']) {
    case 'item.started':
      return begunIn(line['item'])
    case 'item.completed':
      return doneIn(line['item'])
    case 'turn.completed':
      return [usageOf(line['usage']), { type: 'finished', ok: true }]
    case 'turn.failed': {
      const message = wordIn(line['error'], 'message')
      const failure = failureIn(message, now()) ?? { error: 'crash', message: shortened(message) }
      return [
        { type: 'error', ...failure },
        { type: 'finished', ok: false },
      ]
    }
    default:
      // `error` is a warning that it tries again.
      return []
  }
}

function begunIn(item: Json | undefined): readonly AgentEvent[] {
  const name = wordIn(item, 'type')
  if (!tools.has(name)) return []
  return [{ type: 'tool_call', id: wordIn(item, 'id'), name, input: inputOf(item, name) }]
}

const tools: ReadonlySet<string> = new Set([
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
])

function inputOf(item: Json | undefined, name: string): Json {
  if (name === 'command_execution') return { command: wordIn(item, 'command') }
  return name === 'file_change' ? { changes: (item as JsonObject)['changes'] ?? [] } : {}
}

function doneIn(item: Json | undefined): readonly AgentEvent[] {
  const name = wordIn(item, 'type')
  if (name === 'agent_message') return [{ type: 'text', text: wordIn(item, 'text'), whole: true }]
  if (!tools.has(name)) return []
  const result = { type: 'tool_result', id: wordIn(item, 'id'), ok: isGood(item) } as const
  // A patch is not announced before it is done.
  return name === 'file_change' ? [...begunIn(item), result] : [result]
}

function isGood(item: Json | undefined): boolean {
  return textIn(item, 'status') === 'completed' || textIn(item, 'status') === undefined
}

function usageOf(usage: Json | undefined): AgentEvent {
  return {
    type: 'usage',
    ...known({
      input: numberIn(usage, 'input_tokens'),
      cached: numberIn(usage, 'cached_input_tokens'),
      output: numberIn(usage, 'output_tokens'),
    }),
  }
}

export function judgeCodex(end: AgentEnd, now: Now): AgentFailure | undefined {
  if (end.code === 0 && end.finished === true && end.answered) return undefined
  if (end.error) return end.error
  if (end.code !== 0) {
    const error = end.code === 2 ? 'refused' : (failureIn(end.complaint, now())?.error ?? 'crash')
    return { error, message: `codex ended with exit code ${end.code}: ${shortened(end.complaint.trim())}` }
  }
  const what = end.finished === undefined ? 'its stream ended without a result' : 'it ended without an answer'
  return { error: 'protocol', message: `codex: ${what}` }
}
