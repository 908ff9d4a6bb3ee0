import type { AgentEnd, AgentEvent, AgentFailure, LineParser } from '../model/agent.ts'
import type { JsonObject } from '../model/json.ts'
import { failureIn, shortened, withReset } from './error-words.ts'
import { known, numberIn, objectIn, textIn, wordIn } from './json-line.ts'

type Now = () => number

/** `--output-format stream-json`: text comes in pieces only, and there is no event for a final message. */
export function geminiLines(now: Now): LineParser {
  return { line: (text) => eventsOf(objectIn(text), now) }
}

type Read = (line: JsonObject, now: Now) => readonly AgentEvent[]

const readers: Readonly<Record<string, Read>> = {
  init: (line) => {
    const model = textIn(line, 'model')
    return [{ type: 'started', ...(model === undefined ? {} : { model }) }]
  },
  message: (line) => (line['role'] === 'assistant' ? [{ type: 'text', text: wordIn(line, 'content') }] : []),
  tool_use: (line) => [
    {
      ...{ type: 'tool_call', id: wordIn(line, 'tool_id'), name: wordIn(line, 'tool_name') },
      input: line['parameters'] ?? {},
    },
  ],
  tool_result: (line) => [
    { type: 'tool_result', id: wordIn(line, 'tool_id'), ok: line['status'] === 'success' },
  ],
  error: (line, now) => (line['severity'] === 'error' ? [errorOf(wordIn(line, 'message'), now)] : []),
  result: resultOf,
}

function eventsOf(line: JsonObject | undefined, now: Now): readonly AgentEvent[] {
  return line === undefined ? [] : (readers[wordIn(line, 'type')]?.(line, now) ?? [])
}

function resultOf(line: JsonObject, now: Now): readonly AgentEvent[] {
  const { stats, status } = line
  const used = known({
    input: numberIn(stats, 'input_tokens'),
    cached: numberIn(stats, 'cached'),
    output: numberIn(stats, 'output_tokens'),
  })
  const message = textIn(line['error'], 'message')
  const type = wordIn(line['error'], 'type')
  return [
    ...(Object.keys(used).length === 0 ? [] : [{ type: 'usage', ...used } as const]),
    ...(message === undefined ? [] : [errorOf(type === 'unknown' ? message : `${type}: ${message}`, now)]),
    { type: 'finished', ok: status === 'success' },
  ]
}

function errorOf(message: string, now: Now): AgentEvent {
  return { type: 'error', ...(failureIn(message, now()) ?? { error: 'crash', message: shortened(message) }) }
}

/** The service's HTTP status modulo 256, and the tool's own codes. */
const exitCodes: Readonly<Record<number, AgentFailure['error']>> = {
  41: 'auth',
  42: 'refused',
  52: 'refused',
  53: 'refused',
  55: 'refused',
  145: 'auth',
  147: 'auth',
  173: 'quota',
  244: 'overloaded',
  247: 'overloaded',
}

/** Exit 0 is also given to a prompt too large, to an empty answer and to a stream that was cut off. */
export function judgeGemini(end: AgentEnd, now: Now): AgentFailure | undefined {
  if (end.code === 0 && end.finished === true && end.answered) return undefined
  if (end.error) return withReset(end.error, end.complaint, now())
  if (end.code !== 0) return afterExit(end, now)
  if (end.finished === undefined) return protocol('its stream ended without a result')
  if (end.finished && /exceed|context window|overflow|too (?:large|long)/i.test(end.complaint))
    return { error: 'context', message: 'the prompt is larger than the model takes' }
  return protocol('it ended without an answer')
}

function afterExit({ code, complaint }: AgentEnd, now: Now): AgentFailure {
  const said = failureIn(complaint, now())
  const error = exitCodes[code] ?? said?.error ?? 'crash'
  const message = `gemini ended with exit code ${code}: ${lastLine(complaint)}`
  return { ...(said?.resetsAt === undefined ? {} : { resetsAt: said.resetsAt }), error, message }
}

function protocol(what: string): AgentFailure {
  return { error: 'protocol', message: `gemini: ${what}` }
}

function lastLine(text: string): string {
  return shortened(text.trim().split('\n').at(-1) ?? '')
}
