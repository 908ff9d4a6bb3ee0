import type * as Yaml from 'yaml'
import type * as Library from './yaml-library.ts'
import { unclosedIn } from '../model/unclosed.ts'
import type { Finding, Path, Problem } from './problems.ts'

export interface Position {
  readonly line: number
  readonly column: number
}

/** YAML 1.2 (and so JSON) as a plain value that still knows where each part was written. */
export interface YamlDocument {
  readonly file: string
  readonly text: string
  readonly value: unknown
  /** Not empty when the text could not be read; `value` is undefined then. */
  readonly problems: readonly Problem[]
  /** Of the value, or of the nearest part around it that exists. */
  positionOf(path: Path, within?: string): Position
  /** Of the key of a pair. */
  keyPositionOf(path: Path): Position
}

/** More uses of anchors than this are an attack, not a way to save typing. */
const maxAliases = 100

export async function parseYamlDocument(file: string, text: string): Promise<YamlDocument> {
  const yaml = await import('./yaml-library.ts')
  const lineCounter = new yaml.LineCounter()
  const options = { lineCounter, prettyErrors: false, uniqueKeys: true, version: '1.2' } as const
  const document = yaml.parseDocument(text, options)
  const source: Source = { yaml, document, lineCounter, file, text }
  const read = valueOf(source)
  return {
    file,
    text,
    ...read,
    positionOf: (path, within) => positionOf(source, path, within),
    keyPositionOf: (path) => keyPositionOf(source, path),
  }
}

/** Of a file in which nothing will have to be pointed at. */
export function placelessDocument({
  path,
  text,
}: {
  readonly path: string
  readonly text: string
}): YamlDocument {
  const start = { line: 1, column: 1 }
  return {
    file: path,
    text,
    value: undefined,
    problems: [],
    positionOf: () => start,
    keyPositionOf: () => start,
  }
}

export function problemAt(document: YamlDocument, finding: Finding): Problem {
  const { path, message, fix } = finding
  const position = finding.atKey ? document.keyPositionOf(path) : document.positionOf(path, finding.within)
  return { file: document.file, ...position, message, fix }
}

/** Line and column, both counted from 1, of an index into a text. */
export function positionInText(text: string, index: number): Position {
  const before = text.slice(0, Math.max(0, index))
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}

interface Source {
  readonly yaml: typeof Library
  readonly document: Yaml.Document
  readonly lineCounter: Yaml.LineCounter
  readonly file: string
  readonly text: string
}

function valueOf(source: Source): Pick<YamlDocument, 'value' | 'problems'> {
  const { document } = source
  const syntax = [...document.errors, ...document.warnings].map((error) => syntaxProblem(source, error))
  const problems = syntax.length > 0 ? syntax : keyProblems(source)
  if (problems.length > 0) return { value: undefined, problems }
  try {
    return { value: document.toJS({ maxAliasCount: maxAliases }) as unknown, problems }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return { value: undefined, problems: [aliasProblem(source, error)] }
  }
}

/** All that is left for `toJS` to stumble over. */
function aliasProblem(source: Source, error: ReferenceError): Problem {
  const name = /^Unresolved alias.*: (.*)$/.exec(error.message)?.[1]
  if (name === undefined) {
    return problem(source, 0, {
      message: 'aliases (*name) are used too often',
      fix: 'write the repeated part out',
    })
  }
  const message = `alias '*${name}' comes before its anchor '&${name}'`
  return problem(source, source.text.indexOf(`*${name}`), { message, fix: 'write the part out' })
}

function syntaxProblem(source: Source, error: Yaml.YAMLError): Problem {
  const [offset] = error.pos
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^["']?([^"':\s]+)/.exec(source.text.slice(offset))?.[1] ?? ''
    return problem(source, offset, { message: `key '${key}' appears twice`, fix: 'keep one of them' })
  }
  const unclosed = unclosedIn({ text: source.text, contents: source.document.contents, error })
  if (unclosed)
    return problem(source, unclosed.offset, { ...unclosed, message: `not valid YAML: ${unclosed.message}` })
  const message = error.message.split('\n')[0]?.replace(/[.:]$/, '') ?? 'syntax error'
  const fix = syntaxFixes[error.code] ?? 'correct the syntax here'
  return problem(source, offset, { message: `not valid YAML: ${message}`, fix })
}

const sameColumn = 'begin the lines of one list or map in the same column'
const inQuotes = 'put quotes around a text with a colon, a brace or another sign of YAML in it'

/** What most often is wrong where the library says this. */
const syntaxFixes: Readonly<Partial<Record<Yaml.ErrorCode, string>>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: sameColumn,
  MISSING_CHAR: sameColumn,
  MULTILINE_IMPLICIT_KEY: sameColumn,
  BLOCK_AS_IMPLICIT_KEY: `${sameColumn}, and ${inQuotes}`,
  BLOCK_IN_FLOW: inQuotes,
  BAD_SCALAR_START: inQuotes,
}

/** Numbers and truth values may be keys (`5: no_tests`, `true: ok`); lists, maps and nothing may not. */
function keyProblems(source: Source): Problem[] {
  const problems: Problem[] = []
  const { isScalar, visit } = source.yaml
  visit(source.document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value !== null) return
      const message = 'a key must be a word'
      problems.push(problem(source, startOf(key), { message, fix: 'write a word before the colon' }))
    },
  })
  return problems
}

function problem(source: Source, offset: number, words: Pick<Problem, 'message' | 'fix'>): Problem {
  const { message, fix } = words
  return { file: source.file, ...linePosition(source, offset), message, fix }
}

function positionOf(source: Source, path: Path, within?: string): Position {
  const node = deepest(source, path)
  const start = startOf(node)
  const found = within === undefined ? -1 : source.text.indexOf(within, start)
  return linePosition(source, found === -1 || found >= endOf(node) ? start : found)
}

function keyPositionOf(source: Source, path: Path): Position {
  const parent = deepest(source, path.slice(0, -1))
  const pair = pairOf(source, parent, path.at(-1))
  return pair ? linePosition(source, startOf(pair.key)) : positionOf(source, path)
}

function deepest(source: Source, path: Path): unknown {
  let node: unknown = source.document.contents
  for (const key of path) {
    const child = childOf(source, node, key)
    if (!child) break
    node = child
  }
  return node
}

function childOf(source: Source, node: unknown, key: string | number): unknown {
  const whole = resolved(source, node)
  if (source.yaml.isSeq(whole)) return whole.items[Number(key)]
  return pairOf(source, whole, key)?.value
}

function pairOf(source: Source, node: unknown, key: string | number | undefined): Yaml.Pair | undefined {
  const whole = resolved(source, node)
  if (!source.yaml.isMap(whole)) return undefined
  return whole.items.find((pair) => source.yaml.isScalar(pair.key) && String(pair.key.value) === String(key))
}

function resolved(source: Source, node: unknown): unknown {
  return source.yaml.isAlias(node) ? node.resolve(source.document) : node
}

function startOf(node: unknown): number {
  return (node as Yaml.Node | null)?.range?.[0] ?? 0
}

function endOf(node: unknown): number {
  return (node as Yaml.Node | null)?.range?.[1] ?? Infinity
}

function linePosition({ lineCounter }: Source, offset: number): Position {
  const { line, col } = lineCounter.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}
