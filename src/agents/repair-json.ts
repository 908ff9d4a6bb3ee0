import { DEPTH_LIMIT, findJsonError } from './json-machine.ts'
import type { Candidate, Tail } from './text-window.ts'

/** Strict JSON made from the text between a start and `end`, which held single quotes or trailing commas. */
type Repaired = { readonly json: string; readonly end: number }

type Token = { readonly json: string; readonly end: number }

/** How many characters a search may read in all, as a multiple of the text: one that needs more is not worth it. */
const READINGS = 8

/** The objects that lie in no other one, read leniently, in order of appearance; their texts are strict JSON. */
export function findRepairableObjects({ bytes, start: base }: Tail): readonly Candidate[] {
  const found: Candidate[] = []
  // A character for each byte: what is mended is ASCII, and the offsets remain those of the bytes.
  const text = bytes.toString('latin1')
  const budget = { left: READINGS * text.length }
  let start = text.indexOf('{')
  while (start >= 0 && budget.left > 0) {
    const repaired = repairObject(text, start, budget)
    const json = Buffer.from(repaired?.json ?? '', 'latin1')
    const isWhole = repaired !== undefined && findJsonError(json) === undefined
    if (isWhole) found.push({ text: json.toString('utf8'), start: base + start, end: base + repaired.end })
    start = text.indexOf('{', isWhole ? repaired.end : start + 1)
  }
  return found
}

/** The object that begins at `start`. Only what is certain is mended: whether the rest is JSON remains to be seen. */
export function repairObject(text: string, start: number, budget = { left: Infinity }): Repaired | undefined {
  const written = new Writer()
  for (let at = start; at < text.length && budget.left > 0;) {
    const token = readToken(text, at)
    if (token === undefined || !written.add(token.json)) return undefined
    budget.left -= token.end - at
    at = token.end
    if (written.depth === 0) return { json: written.json, end: at }
  }
  return undefined
}

/** Puts tokens together and leaves out a comma that closes a list. */
class Writer {
  json = ''
  depth = 0
  private last = ''
  private hasComma = false

  add(token: string): boolean {
    if (token === ' ') {
      this.json += token
      return true
    }
    if (token === ',') return this.addComma()
    if ('}]'.includes(token)) this.depth -= 1
    else if (this.hasComma) this.json += ','
    if ('{['.includes(token)) this.depth += 1
    this.hasComma = false
    this.json += token
    this.last = token
    return this.depth <= DEPTH_LIMIT
  }

  /** Only a comma after a value can be one too many: `[,]` is broken in some other way. */
  private addComma(): boolean {
    if (this.hasComma || '{[:'.includes(this.last)) return false
    this.hasComma = true
    return true
  }
}

function readToken(text: string, at: number): Token | undefined {
  const first = text.charAt(at)
  if ('{}[],:'.includes(first)) return { json: first, end: at + 1 }
  if (' \t\r\n'.includes(first)) return { json: ' ', end: at + 1 }
  if (first === '"' || first === "'") return readString(text, at)
  const scalar = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y
  scalar.lastIndex = at
  const json = scalar.exec(text)?.[0]
  return json === undefined ? undefined : { json, end: at + json.length }
}

function readString(text: string, start: number): Token | undefined {
  const quote = text.charAt(start)
  let json = '"'
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === quote) return { json: `${json}"`, end: at + 1 }
    if (character < ' ') return undefined
    if (character === '\\') {
      at += 1
      json += toEscape(text.charAt(at))
    } else json += character === '"' ? '\\"' : character
  }
  return undefined
}

function toEscape(escaped: string): string {
  return escaped === "'" ? "'" : `\\${escaped}`
}
