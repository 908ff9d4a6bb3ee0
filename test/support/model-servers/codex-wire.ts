import type { ServerResponse } from 'node:http'
import { wordIn } from '../../../src/agents/json-line.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { finish, listIn, pieced } from './gemini-wire.ts'
import type { Call, Turn, Wire } from './model-server.ts'

/** `POST /v1/responses` */
export const codexWire: Wire = {
  isModelCall: (url) => url.endsWith('/responses'),
  read(body) {
    const input = listIn(body, 'input')
    const outputs = input
      .filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
      .map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)))
    const said = input
      .filter(({ role }) => role === 'user' || role === 'developer')
      .flatMap((item) => listIn(item, 'content'))
      .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    const tools = listIn(body, 'tools').map((tool) => wordIn(tool, 'name') || wordIn(tool, 'type'))
    return { turn: outputs.length, outputs, prompt: said.join('\n'), tools }
  },
  write(response, turn) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const id = `resp_${++ids}`
    send(response, 'response.created', {
      response: { id, object: 'response', status: 'in_progress', output: [] },
    })
    const items = itemsOf(turn)
    items.forEach((item, at) => sendItem(response, item, at))
    if (turn.silent === undefined && !turn.cut)
      send(response, 'response.completed', {
        response: { id, object: 'response', status: 'completed', output: items, usage },
      })
    finish(response, turn)
  },
  other(response) {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"no such place"}}')
  },
}

const usage = {
  ...{ input_tokens: 1234, input_tokens_details: { cached_tokens: 1000 }, total_tokens: 1290 },
  ...{ output_tokens: 56, output_tokens_details: { reasoning_tokens: 7 } },
}

let ids = 0

function itemsOf({ say, calls }: Turn): JsonObject[] {
  return [...(say === undefined ? [] : [messageOf(say)]), ...(calls ?? []).map(callOf)]
}

function messageOf(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${++ids}`, role: 'assistant', status: 'completed', content }
}

function callOf(call: Call): JsonObject {
  const id = `x_${++ids}`
  const made = { id: `fc_${id}`, call_id: `call_${id}`, status: 'completed' }
  if ('write' in call) {
    const lines = call.write.text.replace(/\n$/, '').split('\n')
    const body = lines.map((line) => `+${line}`).join('\n')
    const input = `*** Begin Patch\n*** Add File: ${call.write.path}\n${body}\n*** End Patch\n`
    return { ...made, type: 'custom_tool_call', name: 'apply_patch', input }
  }
  const [name, input] = 'shell' in call ? ['exec_command', { cmd: call.shell }] : [call.tool, call.input]
  return { ...made, type: 'function_call', name, arguments: JSON.stringify(input) }
}

function sendItem(response: ServerResponse, item: JsonObject, output_index: number): void {
  const isMessage = item['type'] === 'message'
  const added = isMessage ? { ...item, status: 'in_progress', content: [] } : item
  send(response, 'response.output_item.added', { output_index, item: added })
  if (isMessage) {
    const text = wordIn(listIn(item, 'content')[0], 'text')
    for (const delta of pieced(text))
      send(response, 'response.output_text.delta', {
        item_id: item['id'] ?? '',
        output_index,
        content_index: 0,
        delta,
      })
  }
  send(response, 'response.output_item.done', { output_index, item })
}

let sequence = 0

function send(response: ServerResponse, type: string, data: JsonObject): void {
  response.write(
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`,
  )
}
