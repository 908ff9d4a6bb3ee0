import { StringDecoder } from 'node:string_decoder'
import type { AgentEnd, AgentEvent, AgentUsage, LineParser } from '../model/agent.ts'

/** A longer line is no event: no tool prints one, and memory has an end. */
const longestLine = 64 << 20
/** Of the answer the end is kept: that is where its JSON stands. */
const longestAnswer = 32 << 20

export type Heard = Pick<AgentEnd, 'answered' | 'error' | 'finished'> & {
  /** What the agent said after its last tool call. */
  readonly answer: string
  readonly usage?: AgentUsage
  /** As the tool named it. */
  readonly model?: string
}

/** Listens to one call: bytes in, events out, and at the end what is worth keeping of them. */
export class Transcript {
  readonly #parser: LineParser
  readonly #onEvent: (event: AgentEvent) => void
  readonly #decoder = new StringDecoder('utf8')
  #rest: string[] = []
  #restLength = 0
  #texts: string[] = []
  #length = 0
  #heard: Omit<Heard, 'answer' | 'answered'> = {}

  constructor(parser: LineParser, onEvent: (event: AgentEvent) => void = () => {}) {
    this.#parser = parser
    this.#onEvent = onEvent
  }

  push(chunk: Buffer): void {
    const pieces = this.#decoder.write(chunk).split('\n')
    const last = pieces.pop() ?? ''
    for (const piece of pieces) this.#line(piece)
    this.#keep(last)
  }

  end(): Heard {
    this.#line(this.#decoder.end())
    const answer = this.#texts.join('')
    return { ...this.#heard, answer, answered: answer.trim() !== '' }
  }

  #keep(piece: string): void {
    if (piece === '') return
    this.#restLength += piece.length
    if (this.#restLength <= longestLine) this.#rest.push(piece)
  }

  #line(end: string): void {
    this.#keep(end)
    const text = this.#restLength > longestLine ? '' : this.#rest.join('')
    this.#rest = []
    this.#restLength = 0
    if (text.trim() === '') return
    for (const event of this.#parser.line(text)) this.#take(event)
  }

  #take(event: AgentEvent): void {
    this.#note(event)
    this.#onEvent(event)
  }

  #note(event: AgentEvent): void {
    switch (event.type) {
      case 'started':
        if (event.model !== undefined) this.#heard = { ...this.#heard, model: event.model }
        return
      case 'text':
        return this.#say(event)
      case 'tool_call':
      case 'tool_result':
        return this.#forget()
      case 'usage': {
        const { type: _type, ...usage } = event
        this.#heard = { ...this.#heard, usage }
        return
      }
      case 'error': {
        const { type: _type, ...error } = event
        this.#heard = { ...this.#heard, error }
        return
      }
      case 'finished':
        this.#heard = { ...this.#heard, finished: event.ok }
    }
  }

  #say({ text, whole }: AgentEvent & { type: 'text' }): void {
    if (whole) this.#forget()
    this.#texts.push(text)
    this.#length += text.length
    while (this.#length > longestAnswer && this.#texts.length > 1)
      this.#length -= this.#texts.shift()?.length ?? 0
  }

  #forget(): void {
    this.#texts = []
    this.#length = 0
  }
}
