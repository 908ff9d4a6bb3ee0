import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import type * as z from 'zod'
import { FailureError } from '../model/failure.ts'
import { unclosedIn } from '../model/unclosed.ts'
import { scriptSchema, type Script } from './script-schema.ts'

/** Throws `script.invalid`, with the file and line of the first thing that is wrong. */
export function parseScript(source: string, file: string): Script {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number): string => `${file}:${Math.max(1, lines.linePos(offset).line)}`
  const broken = brokenIn(document, source)
  if (broken) throw invalid(lineAt(broken.offset), broken.message)
  const value = valueOf(document, file)
  if (value === null) throw invalid(lineAt(0), "the script is empty: it needs 'roles' or 'steps'")
  // Once: for that zod need not write functions of its own.
  const parsed = scriptSchema.safeParse(value, { jitless: true })
  if (parsed.success) return parsed.data
  const [first = { path: [], message: 'not a script' }, ...more] = parsed.error.issues
  const place = first.path.length === 0 ? '' : `${first.path.join('.')}: `
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`
  throw invalid(lineAt(offsetOf(document, first)), `${place}${wordsOf(first.message)}${rest}`)
}

/** File and line of an entry, such as `['roles', 'planner']`. */
export function placeOfEntry(source: string, file: string, path: readonly string[]): string {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  return `${file}:${Math.max(1, lines.linePos(offsetOf(document, { path: [...path] })).line)}`
}

/** The library's own words name types of JavaScript, which nobody has written. */
function wordsOf(message: string): string {
  const [, expected = '', received = ''] =
    /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? []
  const wanted = kinds[expected]
  return wanted === undefined ? message : `must be ${wanted}, not ${kinds[received] ?? received}`
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a map',
  record: 'a map',
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
}

function brokenIn(
  { errors, contents }: Document,
  text: string,
): { offset: number; message: string } | undefined {
  const [error] = errors
  if (!error) return undefined
  return unclosedIn({ text, contents, error }) ?? { offset: error.pos[0], message: error.message }
}

function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // The parser leaves aliases alone; that one leads nowhere, or to far too much, is found only here.
    throw invalid(file, error instanceof Error ? error.message : String(error))
  }
}

function invalid(place: string, problem: string): FailureError {
  return new FailureError({
    code: 'script.invalid',
    message: `${place}: ${problem.split('\n', 1)[0]}`,
    next: `correct ${place}   (every key: the reference, scripted provider)`,
  })
}

type Issue = Pick<z.core.$ZodIssue, 'path'> & { readonly keys?: readonly string[] }

/** Where in the file an issue is, or the nearest thing around it that is written there. */
function offsetOf(document: Document, issue: Issue): number {
  let node: unknown = document.contents
  let offset = 0
  for (const key of [...issue.path, ...(issue.keys?.slice(0, 1) ?? [])]) {
    const inner = childOf(isAlias(node) ? node.resolve(document) : node, key)
    if (inner === undefined) break
    offset = inner.offset ?? offset
    node = inner.node
  }
  return offset
}

function childOf(node: unknown, key: PropertyKey): { node: unknown; offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return isNode(item) ? { node: item, offset: item.range?.[0] } : undefined
  }
  const pair = isMap(node)
    ? node.items.find(({ key: name }) => isScalar(name) && name.value === key)
    : undefined
  return pair && { node: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined }
}
