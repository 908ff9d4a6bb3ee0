import { DEAD, JsonMachine, OPENED } from './json-machine.ts'
import { CANDIDATE_BYTES, RecentSpans, type Candidate, type Span, type TextWindow } from './text-window.ts'

const OPEN_BRACE = 0x7b

/**
 * Finds every object that lies in no other one. A `{` that a live machine takes as a value is on that machine's
 * stack; only a `{` inside its string needs a machine of its own. Two live machines are always in opposite lexical
 * states: a quote flips both, and a backslash, which one reads as an escape, kills the other. So two are enough.
 */
export class ObjectFinder {
  private readonly first = new JsonMachine()
  private readonly second = new JsonMachine()
  /** Found objects that no live machine can still enclose, and those that one can; both sorted, none in another. */
  private readonly settled = new RecentSpans()
  private readonly unsettled = new RecentSpans()
  private readonly window: TextWindow

  constructor(window: TextWindow) {
    this.window = window
  }

  scan(from: number): void {
    const { first, second, window } = this
    const { bytes, length, base } = window
    let steps = length - from
    for (let at = from; at < length; at += 1) {
      if (first.state === DEAD && second.state === DEAD) {
        at = window.find(OPEN_BRACE, at)
        if (at === length) break
      }
      const byte = bytes[at] ?? 0
      if (first.state !== DEAD) this.advance(first, byte, base + at)
      if (second.state !== DEAD) {
        steps += 1
        this.advance(second, byte, base + at)
      }
      if (byte === OPEN_BRACE) this.begin(base + at)
    }
    window.work.steps += steps
  }

  keepBytes(): void {
    this.window.keep(this.settled)
    this.window.keep(this.unsettled)
  }

  finish(): readonly Candidate[] {
    for (const span of this.unsettled) this.settled.push(span)
    return Array.from(this.settled, (span) => this.window.read(span))
  }

  private begin(offset: number): void {
    const { first, second } = this
    if (first.state === OPENED || second.state === OPENED) return
    const free = first.state === DEAD ? first : second
    free.beginObject(offset)
  }

  private advance(machine: JsonMachine, byte: number, offset: number): void {
    if (!machine.step(byte, offset)) return
    const start = machine.closedStart
    if (start === machine.start) machine.state = DEAD
    this.add({ start, end: offset + 1, bytes: undefined })
  }

  /** Its end is the furthest yet, so what it encloses is exactly the found objects that start after it does. */
  private add(span: Span): void {
    const { unsettled } = this
    while (unsettled.length > 0 && unsettled.at(unsettled.length - 1).start > span.start) unsettled.pop()
    while (unsettled.length > 0 && !this.mayBeEnclosed(unsettled.at(0))) this.settled.push(unsettled.shift())
    if (span.end - span.start > CANDIDATE_BYTES) return
    const list = this.mayBeEnclosed(span) ? unsettled : this.settled
    list.push(span)
  }

  private mayBeEnclosed({ start }: Span): boolean {
    const { first, second } = this
    return (first.state !== DEAD && first.start < start) || (second.state !== DEAD && second.start < start)
  }
}
