import { wordIn } from '../../../src/agents/json-line.ts'
import { isJsonObject } from '../../../src/model/json.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import type { Call, Turn, Wire } from './model-server.ts'

/** `POST /v1beta/models/<model>:streamGenerateContent?alt=sse` */
export const geminiWire: Wire = {
  isModelCall: (url) => url.includes(':streamGenerateContent'),
  read(body) {
    const contents = listIn(body, 'contents')
    const parts = contents.flatMap((content) => listIn(content, 'parts'))
    const outputs = parts.flatMap((part) =>
      part['functionResponse'] === undefined ? [] : [JSON.stringify(part['functionResponse'])],
    )
    const said = contents
      .filter(({ role }) => role === 'user')
      .flatMap((content) => listIn(content, 'parts'))
      .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    const tools = listIn(body, 'tools')
      .flatMap((tool) => listIn(tool, 'functionDeclarations'))
      .map((tool) => wordIn(tool, 'name'))
    return { turn: outputs.length, outputs, prompt: said.join('\n'), tools }
  },
  write(response, turn) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const pieces: JsonObject[][] = [
      ...(turn.say === undefined ? [] : pieced(turn.say).map((text) => [{ text }])),
      ...(turn.calls ? [turn.calls.map((call) => ({ functionCall: callOf(call) }))] : []),
    ]
    const send = (parts: JsonObject[], last: boolean) =>
      response.write(`data: ${JSON.stringify(chunk(parts, last))}\n\n`)
    pieces.forEach((parts, at) =>
      send(parts, at === pieces.length - 1 && turn.silent === undefined && !turn.cut),
    )
    finish(response, turn)
  },
  other(response) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...chunk([{ text: '{"next_speaker":"user"}' }], true), totalTokens: 42 }))
  },
}

export function finish(response: { destroy(): unknown; end(): unknown }, turn: Turn): void {
  if (turn.silent === 'in the middle') return
  if (turn.cut) setTimeout(() => response.destroy(), 50)
  else response.end()
}

export function pieced(text: string): string[] {
  return text.match(/[\s\S]{1,40000}/g) ?? ['']
}

function callOf(call: Call): JsonObject {
  if ('shell' in call) return { name: 'run_shell_command', args: { command: call.shell } }
  if ('write' in call)
    return { name: 'write_file', args: { file_path: call.write.path, content: call.write.text } }
  return { name: call.tool, args: call.input }
}

function chunk(parts: JsonObject[], last: boolean): JsonObject {
  const end = last ? { finishReason: 'STOP' } : {}
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...end }],
    ...(last ? { usageMetadata } : {}),
  }
}

export function listIn(value: Json | undefined, key: string): JsonObject[] {
  const list = isJsonObject(value) ? value[key] : undefined
  return Array.isArray(list) ? list.filter((one): one is JsonObject => isJsonObject(one)) : []
}
