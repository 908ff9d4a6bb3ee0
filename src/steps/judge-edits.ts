import { lengthOf } from '../model/cut.ts'
import { matchesAny } from '../model/glob.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { isHalved, pathKey, pathProblem } from '../model/safe-path.ts'

/** One whole file of an answer. */
export interface Edit {
  readonly path: string
  readonly content: string
}

export interface EditRules {
  /** What may be written, as patterns of paths; relative to where the edits are. */
  readonly mayWrite: readonly string[]
  /** Characters of one content. */
  readonly content?: number
}

export type JudgedEdits =
  | { readonly type: 'fine'; readonly edits: readonly Edit[] }
  | { readonly type: 'refused'; readonly problem: string }

/** All edits of an answer or none: what is wrong with one is wrong with all. Nothing is looked up here. */
export function judgeEdits(given: Json | undefined, rules: EditRules): JudgedEdits {
  const edits = Array.isArray(given) ? given.map(editOf) : []
  if (!Array.isArray(given) || !edits.every((edit) => edit !== undefined)) {
    return refused('edits must be a list of { "path": "...", "content": "..." }')
  }
  const mayWrite = scopeTest(rules.mayWrite)
  const problem =
    firstOf(edits, (edit) => problemOf(edit, rules, mayWrite)) ?? clashIn(edits.map(({ path }) => path))
  return problem === undefined ? { type: 'fine', edits } : refused(problem)
}

function editOf(value: Json): Edit | undefined {
  if (!isJsonObject(value)) return undefined
  const { path, content, ...rest } = value
  if (typeof path !== 'string' || typeof content !== 'string' || Object.keys(rest).length > 0)
    return undefined
  return { path, content }
}

/** Listed paths are looked up: an answer may have as many edits as there are, and each would be held against all. */
function scopeTest(scope: readonly string[]): (path: string) => boolean {
  const patterns = scope.filter((pattern) => /[*?]|\/$/.test(pattern))
  const exact = new Set(scope)
  return (path) => exact.has(path) || matchesAny(path, patterns)
}

function problemOf(
  { path, content }: Edit,
  rules: EditRules,
  mayWrite: (path: string) => boolean,
): string | undefined {
  const name = `'${path.slice(0, 200)}'`
  const bad = pathProblem(path)
  if (bad !== undefined) return `${name} ${bad}`
  if (!mayWrite(path)) return `${name} is none of the files that this step may write`
  if (isHalved(content)) return `the content of ${name} holds half a character`
  if (rules.content === undefined || content.length <= rules.content || lengthOf(content) <= rules.content)
    return undefined
  return `the content of ${name} has ${lengthOf(content)} characters, at most ${rules.content} are taken`
}

/** The same file twice, or a file where another edit needs a folder. */
function clashIn(paths: readonly string[]): string | undefined {
  const files = new Map<string, string>()
  for (const path of paths) {
    const other = files.get(pathKey(path))
    if (other !== undefined) return `'${path}' and '${other}' are the same file: give it once`
    files.set(pathKey(path), path)
  }
  return firstOf(paths, (path) => {
    const parts = pathKey(path).split('/')
    const folders = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
    const file = folders.map((folder) => files.get(folder)).find((found) => found !== undefined)
    return file === undefined ? undefined : `'${path}' needs a folder where '${file}' is a file`
  })
}

function firstOf<T>(all: readonly T[], problem: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = problem(one)
    if (found !== undefined) return found
  }
  return undefined
}

function refused(problem: string): JudgedEdits {
  return { type: 'refused', problem }
}
