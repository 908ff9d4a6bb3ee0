/** Offsets are in bytes of the whole text; `end` is exclusive. */
export type Candidate = { readonly text: string; readonly start: number; readonly end: number }

/** A candidate that is still bytes; while `bytes` is undefined they lie in the window. */
export type Span = { readonly start: number; readonly end: number; bytes: Buffer | undefined }

/** The last bytes of the text, and where they start; the first may be in the middle of a character. */
export type Tail = { readonly bytes: Buffer; readonly start: number }

/** Counts the bytes looked at and copied, so that a test can prove linear work without a clock. */
export type Work = { steps: number }

/** How many are kept of each kind: the last. */
const CANDIDATES = 16
/** Larger candidates are dropped. */
export const CANDIDATE_BYTES = 1 << 20
/** How much may be appended at once. */
export const PIECE_BYTES = 64 << 10
/** A longer line is no fence. */
export const FENCE_LINE_BYTES = 1 << 10

const NO_SPAN: Span = { start: 0, end: 0, bytes: undefined }
const NEAR_BYTES = 32
const TAIL_BYTES = 64 << 10
/** What stays when the window slides: a whole candidate, and the line and the piece during which it is closed. */
const KEPT_BYTES = CANDIDATE_BYTES + FENCE_LINE_BYTES + PIECE_BYTES
const WINDOW_BYTES = 2 * KEPT_BYTES
/** Most answers fit, and a run has thousands of them: the whole window for each would keep the collector busy. */
const FIRST_BYTES = 32 << 10

/** The most recent bytes in one buffer: found things are copied out of it, and nothing is read twice. */
export class TextWindow {
  /** Another one once it has been widened. */
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  length = 0
  /** The offset in the text of the first byte held. */
  base = 0
  readonly work: Work

  constructor(work: Work) {
    this.work = work
  }

  end(): number {
    return this.base + this.length
  }

  hasRoom(count: number): boolean {
    return this.length + count <= WINDOW_BYTES
  }

  slide(): void {
    const dropped = this.length - KEPT_BYTES
    this.bytes.copyWithin(0, dropped, this.length)
    this.base += dropped
    this.length = KEPT_BYTES
  }

  append(piece: Buffer): void {
    const length = this.length + piece.length
    if (length > this.bytes.length) this.widen()
    piece.copy(this.bytes, this.length)
    this.length = length
  }

  private widen(): void {
    const { bytes } = this
    this.bytes = Buffer.allocUnsafeSlow(WINDOW_BYTES)
    this.work.steps += bytes.copy(this.bytes, 0, 0, this.length)
  }

  copy(start: number, end: number): Buffer {
    this.work.steps += end - start
    return Buffer.from(this.bytes.subarray(start - this.base, end - this.base))
  }

  /** The index of the next such byte, or the length. The loop is for texts full of them: a native call costs 30 bytes. */
  find(byte: number, from: number): number {
    const near = Math.min(from + NEAR_BYTES, this.length)
    for (let at = from; at < near; at += 1) if (this.bytes[at] === byte) return at
    if (near === this.length) return near
    const at = this.bytes.subarray(0, this.length).indexOf(byte, near)
    return at < 0 ? this.length : at
  }

  tail(from: number): Tail {
    const start = Math.max(from, this.end() - TAIL_BYTES)
    return { bytes: this.copy(start, this.end()), start }
  }

  /** To be called before the window slides. */
  keep(spans: Iterable<Span>): void {
    for (const span of spans) span.bytes ??= this.copy(span.start, span.end)
  }

  read({ start, end, bytes }: Span): Candidate {
    return { text: (bytes ?? this.copy(start, end)).toString('utf8'), start, end }
  }
}

/** The last spans in order: a ring, because shifting an array for every `{}` of a hostile text is slow. */
export class RecentSpans {
  length = 0
  private first = 0
  private readonly ring: Span[] = Array.from({ length: CANDIDATES }, () => NO_SPAN)

  at(index: number): Span {
    return this.ring[(this.first + index) % CANDIDATES] ?? NO_SPAN
  }

  push(span: Span): void {
    if (this.length === CANDIDATES) this.shift()
    this.ring[(this.first + this.length) % CANDIDATES] = span
    this.length += 1
  }

  pop(): void {
    this.length -= 1
  }

  shift(): Span {
    const span = this.at(0)
    this.first = (this.first + 1) % CANDIDATES
    this.length -= 1
    return span
  }

  *[Symbol.iterator](): Generator<Span> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index)
  }
}
