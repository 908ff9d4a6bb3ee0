import { ObjectFinder } from './find-objects.ts'
import {
  CANDIDATE_BYTES,
  FENCE_LINE_BYTES,
  PIECE_BYTES,
  RecentSpans,
  TextWindow,
  type Candidate,
  type Tail,
  type Work,
} from './text-window.ts'

export type ScannedAnswer = {
  /** The contents of the last fenced json blocks, in order of appearance. */
  readonly fenced: readonly Candidate[]
  /** The last JSON objects that lie in no other JSON object, in order of appearance. */
  readonly objects: readonly Candidate[]
  /** What follows the last fenced block, at most 64 KiB of it: a repair looks for its object there. */
  readonly tail: Tail
  readonly totalBytes: number
  readonly isBlank: boolean
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*(?:(json)(?:[ \t][^`]*)?)?\r?$/i
const NEWLINE = 0x0a
const SPACE = 0x20
const BACKTICK = 0x60
const TILDE = 0x7e

/**
 * Reads the text once, in linear time and flat memory, whatever it holds. The chunks may be reused by their owner.
 */
export async function scanAnswer(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  work: Work = { steps: 0 },
): Promise<ScannedAnswer> {
  const window = new TextWindow(work)
  const fences = new FenceFinder(window)
  const objects = new ObjectFinder(window)
  let isBlank = true
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES)
      isBlank &&= piece.every((byte) => byte <= SPACE)
      if (!window.hasRoom(piece.length)) {
        fences.keepBytes()
        objects.keepBytes()
        window.slide()
      }
      const from = window.length
      window.append(piece)
      fences.scan(from)
      objects.scan(from)
    }
  }
  const fenced = fences.finish()
  return {
    fenced,
    objects: objects.finish(),
    tail: window.tail(fenced.at(-1)?.end ?? 0),
    totalBytes: window.end(),
    isBlank,
  }
}

/** Blocks in other languages are not followed: one that is never closed would hide the answer. */
class FenceFinder {
  private readonly found = new RecentSpans()
  private lineStart = 0
  private open: { readonly fence: string; readonly start: number } | undefined
  private readonly window: TextWindow

  constructor(window: TextWindow) {
    this.window = window
  }

  scan(from: number): void {
    const { window } = this
    for (let at = window.find(NEWLINE, from); at < window.length; at = window.find(NEWLINE, at + 1)) {
      this.endLine(window.base + at, window.base + at + 1)
    }
    window.work.steps += window.length - from
  }

  keepBytes(): void {
    this.window.keep(this.found)
  }

  finish(): readonly Candidate[] {
    const end = this.window.end()
    if (end > this.lineStart) this.endLine(end, end)
    this.close(end)
    return Array.from(this.found, (span) => this.window.read(span))
  }

  private endLine(end: number, next: number): void {
    const start = this.lineStart
    this.lineStart = next
    if (!this.mayBeFence(start, end)) return
    this.window.work.steps += end - start
    const { bytes, base } = this.window
    const line = bytes.toString('latin1', start - base, end - base)
    const [, fence, language] = FENCE.exec(line) ?? []
    if (fence === undefined) return
    if (language !== undefined) {
      // JSON cannot hold a fence line, so a second opening can only mean that the first block was left open.
      this.close(start)
      this.open = { fence, start: next }
      return
    }
    if (this.open !== undefined && fence.startsWith(this.open.fence)) this.close(start)
  }

  private mayBeFence(start: number, end: number): boolean {
    if (end - start < 3 || end - start > FENCE_LINE_BYTES) return false
    const { bytes, base } = this.window
    let at = start - base
    while (at < start - base + 3 && bytes[at] === SPACE) at += 1
    return bytes[at] === BACKTICK || bytes[at] === TILDE
  }

  private close(end: number): void {
    const { open } = this
    this.open = undefined
    if (open === undefined || end - open.start > CANDIDATE_BYTES) return
    this.found.push({ start: open.start, end, bytes: undefined })
  }
}
