import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { DEPTH_LIMIT, findJsonError } from './json-machine.ts'
import { findRepairableObjects, repairObject } from './repair-json.ts'
import { repeatedKey } from './repeated-key.ts'
import { scanAnswer, type ScannedAnswer } from './scan-answer.ts'
import { CANDIDATE_BYTES, type Candidate } from './text-window.ts'

/** Empty when the value fits; else a sentence for each thing that does not. Called with objects only. */
export type Validate = (value: Json) => readonly string[]

export type ParsedAnswer =
  | {
      readonly type: 'answer'
      readonly value: JsonObject
      readonly source: 'fenced' | 'object' | 'whole'
      /** True when the text was not JSON but could be read as such: the caller tells the user. */
      readonly repaired: boolean
    }
  | { readonly type: 'none'; readonly problem: string }
  | { readonly type: 'invalid'; readonly problem: string; readonly value?: Json }

export type AnswerMode = 'json_tail' | 'json_only'

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/** What may be the answer, which need not be JSON, and where it comes from. */
type Attempt = {
  readonly text: string
  readonly source: 'fenced' | 'object'
  readonly repaired: boolean
}

const SENTENCES = 5
const QUOTED_CHARACTERS = 40

/** Finds the JSON object that an agent ended its text with (json_tail), or that is its whole text (json_only). */
export async function parseAnswer(
  chunks: Chunks,
  validate: Validate,
  mode: AnswerMode,
): Promise<ParsedAnswer> {
  if (mode === 'json_only') return parseWhole(await readWhole(chunks), validate)
  return parseTail(await scanAnswer(chunks), validate)
}

function parseTail(scanned: ScannedAnswer, validate: Validate): ParsedAnswer {
  if (scanned.isBlank) return { type: 'none', problem: 'the answer is empty' }
  const whole = scanned.tail.start === 0 ? parseJson(scanned.tail.bytes.toString('utf8')) : undefined
  if (whole !== undefined && !isJsonObject(whole)) return toInvalid(describeKind(whole), whole)
  for (const { text, source, repaired } of listAttempts(scanned)) {
    const value = parseJson(text)
    if (isJsonObject(value) && findMisfits(value, validate).length === 0) {
      if (isContradicted(scanned, value, validate)) return toInvalid(contradiction)
      return unlessTwofold(text, { type: 'answer', value, source, repaired })
    }
  }
  return explainTail(scanned, validate)
}

const contradiction = 'two different JSON objects that would both do stand one after the other: give one'

/** So many bytes lie between two fenced blocks, or two objects, that have no word between them. */
const NO_WORD_BETWEEN = 16

/** An example with a sentence after it is an example; two answers in a row are two answers. */
function isContradicted({ fenced, objects }: ScannedAnswer, answer: JsonObject, validate: Validate): boolean {
  return [fenced, objects].some((found) => {
    const at = found.findLastIndex(({ text }) => isSame(parseJson(text), answer))
    const [chosen, before] = [found[at], found[at - 1]]
    if (!chosen || !before || chosen.start - before.end > NO_WORD_BETWEEN) return false
    const other = parseJson(before.text)
    return isJsonObject(other) && !isSame(other, answer) && findMisfits(other, validate).length === 0
  })
}

/** What holds two values for one key says two things as well. */
function unlessTwofold(text: string, answer: ParsedAnswer): ParsedAnswer {
  const key = repeatedKey(text)
  return key === undefined ? answer : toInvalid(`${quote(key)} stands twice in one JSON object: give it once`)
}

function isSame(one: Json | undefined, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * In order of preference, and lazily: most answers are the first. What is a part of something that can be read, be it
 * after a repair, is no answer: an agent that quotes a verdict in a list and adds a comma has not given that verdict.
 */
function* listAttempts({ fenced, objects, tail }: ScannedAnswer): Generator<Attempt> {
  const blocks = fenced.toReversed()
  for (const { text } of blocks) yield { text, source: 'fenced', repaired: false }

  const repairable = findRepairableObjects(tail).toReversed()
  for (const object of objects.toReversed()) {
    if (fenced.some((block) => isIn(object, block)) || repairable.some((whole) => isPartOf(object, whole)))
      continue
    yield { text: object.text, source: 'object', repaired: false }
  }

  const broken = blocks.filter(({ text }) => parseJson(text) === undefined)
  const mended = broken.map((block) => ({ block, text: repairBlock(block.text) }))
  for (const { text } of mended) if (text !== undefined) yield { text, source: 'fenced', repaired: true }
  for (const { text } of repairable) yield { text, source: 'object', repaired: true }

  const unreadable = mended.filter(({ text }) => text === undefined)
  for (const object of objects.toReversed()) {
    if (!unreadable.some(({ block }) => isIn(object, block))) continue
    yield { text: object.text, source: 'object', repaired: false }
  }
}

function isIn(inner: Candidate, outer: Candidate): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}

function isPartOf(inner: Candidate, outer: Candidate): boolean {
  return isIn(inner, outer) && inner.start > outer.start
}

function repairBlock(text: string): string | undefined {
  const trimmed = text.trim()
  const repaired = trimmed.startsWith('{') ? repairObject(trimmed, 0) : undefined
  if (repaired?.end !== trimmed.length) return undefined
  return parseJson(repaired.json) === undefined ? undefined : repaired.json
}

function explainTail({ fenced, objects, tail }: ScannedAnswer, validate: Validate): ParsedAnswer {
  const block = fenced.at(-1)?.text
  if (block !== undefined) return explain(block, 'the fenced JSON', validate)
  const lasts = [objects.at(-1), findRepairableObjects(tail).at(-1)].filter((last) => last !== undefined)
  const object = lasts.toSorted((one, other) => one.end - other.end).at(-1)?.text
  if (object !== undefined) return explain(object, 'the JSON object', validate)
  return { type: 'none', problem: 'no complete JSON object was found in the answer' }
}

function explain(text: string, name: string, validate: Validate): ParsedAnswer {
  const value = parseJson(text)
  if (value === undefined) return toInvalid(`${name} does not parse: ${describeError(text)}`)
  if (!isJsonObject(value)) return toInvalid(describeKind(value), value)
  const misfits = findMisfits(value, validate)
  const rest = misfits.length > SENTENCES ? `; and ${misfits.length - SENTENCES} more` : ''
  return toInvalid(`${name} does not fit: ${misfits.slice(0, SENTENCES).join('; ')}${rest}`, value)
}

async function readWhole(chunks: Chunks): Promise<string | undefined> {
  const kept: Buffer[] = []
  let totalBytes = 0
  for await (const chunk of chunks) {
    totalBytes += chunk.length
    if (totalBytes > CANDIDATE_BYTES) return undefined
    kept.push(Buffer.from(chunk))
  }
  return Buffer.concat(kept).toString('utf8').trim()
}

async function parseWhole(text: string | undefined, validate: Validate): Promise<ParsedAnswer> {
  if (text === undefined) return toInvalid('the answer is larger than 1 MiB')
  if (text === '') return { type: 'none', problem: 'the answer is empty' }
  const value = parseJson(text)
  if (value === undefined) return explainWhole(text)
  if (isJsonObject(value) && findMisfits(value, validate).length === 0) {
    return unlessTwofold(text, { type: 'answer', value, source: 'whole', repaired: false })
  }
  return explain(text, 'the JSON object', validate)
}

async function explainWhole(text: string): Promise<ParsedAnswer> {
  const bytes = Buffer.from(text)
  const { fenced, objects } = await scanAnswer([bytes])
  const rule = 'the answer must be one JSON object and nothing else'
  if (fenced.length > 0) return toInvalid(`${rule}, but it holds a fenced block`)
  const object = objects.find(({ start }) => start === 0) ?? objects.at(-1)
  if (text.startsWith('{') && object?.start !== 0) {
    return toInvalid(`the JSON object does not parse: ${describeError(text)}`)
  }
  if (object === undefined) return { type: 'none', problem: `no JSON object was found: ${quote(text)}` }
  const before = bytes.subarray(0, object.start).toString('utf8').trim()
  const after = bytes.subarray(object.end).toString('utf8').trim()
  const found = [before && `${quote(before)} before it`, after && `${quote(after)} after it`].filter(Boolean)
  return toInvalid(`${rule}, but there is ${found.join(' and ')}`)
}

function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    // Not JSON is an expected finding here; where it breaks is told by describeError, with line and column.
    return undefined
  }
}

function findMisfits(value: JsonObject, validate: Validate): readonly string[] {
  if (isDeeperThan(value, DEPTH_LIMIT)) return [`must not be nested deeper than ${DEPTH_LIMIT} levels`]
  return validate(value)
}

function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeperThan(inner, levels - 1))
}

function describeKind(value: Json): string {
  if (value === null) return 'expected a JSON object, but found null'
  return `expected a JSON object, but found ${Array.isArray(value) ? 'an array' : `a ${typeof value}`}`
}

/** Lines and columns count from one, columns in characters. */
function describeError(text: string): string {
  const bytes = Buffer.from(text.trimEnd())
  if (bytes.length === 0) return 'it is empty'
  const at = findJsonError(bytes) ?? bytes.length
  const lines = bytes.subarray(0, at).toString('utf8').split('\n')
  const column = Array.from(lines.at(-1) ?? '').length + 1
  const [character] = bytes.subarray(at, at + 4).toString('utf8')
  const what = character === undefined ? 'it ends too early' : `unexpected ${JSON.stringify(character)}`
  return `line ${lines.length}, column ${column}: ${what}`
}

function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * QUOTED_CHARACTERS)).slice(0, QUOTED_CHARACTERS)
  const start = characters.join('')
  return JSON.stringify(start.length < text.length ? `${start}...` : start)
}

function toInvalid(problem: string, value?: Json): ParsedAnswer {
  return value === undefined ? { type: 'invalid', problem } : { type: 'invalid', problem, value }
}
