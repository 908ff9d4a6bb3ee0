import type { AgentEnd, AgentEvent, AgentFailure, LineParser } from '../model/agent.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { failureIn, shortened } from './error-words.ts'
import { known, numberIn, objectIn, objectsIn, textIn, wordIn } from './json-line.ts'

type Now = () => number

/** `--output-format stream-json --verbose`: one event per block of a message, blocks of one message share its id. */
export function claudeLines(now: Now): LineParser {
  let message: string | undefined
  return {
    line(text) {
      const line = objectIn(text)
      switch (line?.['type']) {
        case 'system':
          return line['subtype'] === 'init' ? [startedOf(line)] : []
        case 'assistant': {
          const id = textIn(line['message'], 'id')
          const isNew = id !== message
          message = id
          return line['is_api_error_message'] === true ? [] : saidIn(line['message'], isNew)
        }
        case 'user':
          return resultsIn(line['message'])
        case 'result':
          return endOf(line, now)
        default:
          return []
      }
    },
  }
}

function startedOf(line: JsonObject): AgentEvent {
  const model = textIn(line, 'model')
  return { type: 'started', ...(model === undefined ? {} : { model }) }
}

function contentOf(message: Json | undefined): readonly JsonObject[] {
  return objectsIn((message as JsonObject | undefined)?.['content'])
}

function saidIn(message: Json | undefined, isNew: boolean): readonly AgentEvent[] {
  let whole = isNew
  return contentOf(message).flatMap((block): AgentEvent[] => {
    if (block['type'] === 'text') {
      const event = { type: 'text', text: wordIn(block, 'text') } as const
      const said: AgentEvent = whole ? { ...event, whole: true } : event
      whole = false
      return [said]
    }
    if (block['type'] !== 'tool_use') return []
    const id = wordIn(block, 'id')
    return [{ type: 'tool_call', id, name: wordIn(block, 'name'), input: block['input'] ?? {} }]
  })
}

function resultsIn(message: Json | undefined): readonly AgentEvent[] {
  return contentOf(message)
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => {
      const id = wordIn(block, 'tool_use_id')
      return { type: 'tool_result', id, ok: block['is_error'] !== true }
    })
}

function endOf(line: JsonObject, now: Now): readonly AgentEvent[] {
  const ok = line['subtype'] === 'success' && line['is_error'] === false
  const structured = line['structured_output']
  const said: AgentEvent[] =
    structured === undefined ? [] : [{ type: 'text', text: JSON.stringify(structured), whole: true }]
  const failed: AgentEvent[] = ok ? [] : [{ type: 'error', ...failureOf(line, now()) }]
  return [...said, usageOf(line), ...failed, { type: 'finished', ok }]
}

/** What was read from the cache, and what was written to it, is input as well. */
function usageOf(line: JsonObject): AgentEvent {
  const { usage } = line
  const fresh = numberIn(usage, 'input_tokens')
  const cached = numberIn(usage, 'cache_read_input_tokens')
  const written = numberIn(usage, 'cache_creation_input_tokens')
  const input = fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0)
  const output = numberIn(usage, 'output_tokens')
  return { type: 'usage', ...known({ input, cached, output, cost: numberIn(line, 'total_cost_usd') }) }
}

/** By `terminal_reason` and `api_error_status` first: they are for programs, the words are for people. */
function failureOf(line: JsonObject, now: number): AgentFailure {
  const errors = Array.isArray(line['errors']) ? line['errors'].join('; ') : ''
  const message = textIn(line, 'result') ?? errors
  const reason = wordIn(line, 'terminal_reason')
  const said = failureIn(`${message} ${errors}`, now)
  const words = shortened(message === '' ? reason || wordIn(line, 'subtype') : message)
  const resets = said?.resetsAt === undefined ? {} : { resetsAt: said.resetsAt }
  return { ...resets, error: classOf(line, reason) ?? said?.error ?? 'crash', message: words }
}

const reasons: Readonly<Record<string, AgentFailure['error']>> = {
  prompt_too_long: 'context',
  max_turns: 'refused',
  budget_exhausted: 'refused',
  hook_stopped: 'refused',
}

const statuses: Readonly<Record<number, AgentFailure['error']>> = {
  401: 'auth',
  403: 'auth',
  404: 'refused',
  413: 'context',
  429: 'quota',
  500: 'overloaded',
  503: 'overloaded',
  529: 'overloaded',
}

function classOf(line: JsonObject, reason: string): AgentFailure['error'] | undefined {
  if (line['subtype'] === 'error_max_turns') return 'refused'
  if (line['subtype'] === 'error_max_structured_output_retries') return 'protocol'
  return reasons[reason] ?? statuses[numberIn(line, 'api_error_status') ?? 0]
}

/** SIGINT, a hook that ends the run and a built-in command all end with exit 0. */
export function judgeClaude(end: AgentEnd, now: Now): AgentFailure | undefined {
  if (end.code === 0 && end.finished === true && end.answered) return undefined
  if (end.error) return end.error
  if (end.code !== 0) {
    const said = failureIn(end.complaint, now())
    const message = `claude ended with exit code ${end.code}: ${shortened(end.complaint.trim())}`
    return { error: said?.error ?? 'crash', message }
  }
  const what = end.finished === undefined ? 'its stream ended without a result' : 'it ended without an answer'
  return { error: 'protocol', message: `claude: ${what}` }
}
