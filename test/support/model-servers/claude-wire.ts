import type { ServerResponse } from 'node:http'
import { wordIn } from '../../../src/agents/json-line.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import { finish, listIn, pieced } from './gemini-wire.ts'
import type { Call, Turn, Wire } from './model-server.ts'

/** `POST /v1/messages` */
export const claudeWire: Wire = {
  isModelCall: (url) => /\/v1\/messages(?:\?|$)/.test(url),
  read(body) {
    const messages = listIn(body, 'messages')
    const blocks = messages.flatMap((message) => listIn(message, 'content'))
    const outputs = blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    const said = messages.filter(({ role }) => role === 'user').flatMap((message) => textsIn(message))
    const tools = listIn(body, 'tools').map((tool) => wordIn(tool, 'name'))
    return { turn: outputs.length, outputs, prompt: said.join('\n'), tools }
  },
  write(response, turn, body) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const model = wordIn(body, 'model')
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      usage: begun,
    }
    send(response, { type: 'message_start', message: { ...message, stop_reason: null } })
    blocksOf(turn, body).forEach((block, index) => sendBlock(response, block, index))
    if (turn.silent === undefined && !turn.cut) {
      const stop_reason = turn.calls ? 'tool_use' : 'end_turn'
      send(response, { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 12 } })
      send(response, { type: 'message_stop' })
    }
    finish(response, turn)
  },
  other(response) {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"type":"error","error":{"type":"not_found_error","message":"no such place"}}')
  },
}

const begun = {
  input_tokens: 25,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 10,
  output_tokens: 1,
}

let ids = 0
const nextId = (kind: string) => `${kind}_scripted${++ids}`

function textsIn(message: JsonObject): string[] {
  if (typeof message['content'] === 'string') return [message['content']]
  return listIn(message, 'content').flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
}

type Block = { readonly say: string } | { readonly name: string; readonly input: Json }

function blocksOf(turn: Turn, body: Json): Block[] {
  const says = turn.say === undefined ? [] : [{ say: turn.say }]
  return [...says, ...(turn.calls ?? []).map((call) => callOf(call, folderIn(body)))]
}

/** The tool wants absolute paths and tells the model where it works. */
function folderIn(body: Json): string {
  const found = /(?:Primary working directory|Working directory)[: ]+(\/[^\\"\s]+)/i.exec(
    JSON.stringify(body),
  )
  return found?.[1] ?? ''
}

function callOf(call: Call, folder: string): Block {
  if ('shell' in call) return { name: 'Bash', input: { command: call.shell, description: 'scripted' } }
  if ('tool' in call) return { name: call.tool, input: call.input }
  return { name: 'Write', input: { file_path: `${folder}/${call.write.path}`, content: call.write.text } }
}

function sendBlock(response: ServerResponse, block: Block, index: number): void {
  const isText = 'say' in block
  const content_block = isText
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: nextId('toolu'), name: block.name, input: {} }
  send(response, { type: 'content_block_start', index, content_block })
  const deltas = isText
    ? pieced(block.say).map((text) => ({ type: 'text_delta', text }))
    : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  for (const delta of deltas) send(response, { type: 'content_block_delta', index, delta })
  send(response, { type: 'content_block_stop', index })
}

function send(response: ServerResponse, data: JsonObject): void {
  const type = wordIn(data, 'type')
  response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
}
