import type { AgentEvent } from '../model/agent.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'

/** A tool call or a word of the agent, as one line; undefined for what nobody would want to see pass by. */
export function activityText(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'text':
      return lastLine(event.text)
    case 'tool_call':
      return `${event.name} ${oneArgument(event.input)}`.trim()
    case 'error':
      return lastLine(event.message)
    case 'started':
    case 'tool_result':
    case 'usage':
    case 'finished':
      return undefined
  }
}

/** Of a tool's arguments the one that says most; the others are in the recording. */
const telling = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'prompt']

function oneArgument(input: Json): string {
  if (!isJsonObject(input)) return lastLine(textOf(input)) ?? ''
  const name = telling.find((one) => input[one] !== undefined)
  return lastLine(textOf(name === undefined ? input : input[name])) ?? ''
}

function lastLine(text: string): string | undefined {
  const line = text
    .split('\n')
    // The end of a block of code or JSON tells nobody anything.
    .findLast((one) => /[\p{L}\p{N}]/u.test(one))
    ?.trim()
  // What an agent prints may hold commands to the terminal: nothing of it is obeyed.
  return line?.replaceAll(/\p{Cc}/gu, ' ')
}
