// Which tests a file has, read from its syntax tree: nothing is run, and comments and strings are not mistaken for tests.
import { parseAst, transformWithEsbuild } from 'vite'

export interface TitledTest {
  readonly file: string
  /** Titles of the enclosing describes, outermost first, then its own. */
  readonly titles: readonly string[]
  /** False for what never runs or is expected to fail: skip, todo, fails, no body. */
  readonly live: boolean
}

export async function testsIn(file: string, source: string): Promise<TitledTest[]> {
  const { code } = await transformWithEsbuild(source, file, {
    target: 'esnext',
    sourcemap: false,
    tsconfigRaw: '{}',
  })
  const program = parseAst(code) as unknown as Node
  const tests: TitledTest[] = []
  collect(program, { titles: [], live: true }, { file, tests, constants: constantsIn(program) })
  return tests
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

interface Around {
  readonly titles: readonly string[]
  readonly live: boolean
}

interface Collection {
  readonly file: string
  readonly tests: TitledTest[]
  /** Values of the file's own constants, where a table of cases may stand. */
  readonly constants: ReadonlyMap<string, Node>
}

const dead = new Set(['skip', 'todo', 'fails'])

function collect(node: Node, around: Around, collection: Collection): void {
  const call = titledCall(node, collection.constants)
  if (call === undefined) {
    for (const child of childrenOf(node)) collect(child, around, collection)
    return
  }
  const titles = [...around.titles, call.title]
  const live = around.live && call.live
  if (call.kind === 'test') collection.tests.push({ file: collection.file, titles, live })
  for (const child of call.bodies) collect(child, { titles, live }, collection)
}

interface TitledCall {
  readonly kind: 'test' | 'group'
  readonly title: string
  readonly live: boolean
  readonly bodies: readonly Node[]
}

const kinds: Readonly<Record<string, TitledCall['kind']>> = {
  it: 'test',
  test: 'test',
  describe: 'group',
  suite: 'group',
}

/** `it(...)`, `describe.skip(...)`, `it.concurrent.each(cases)(...)`. */
function titledCall(node: Node, constants: Collection['constants']): TitledCall | undefined {
  if (node.type !== 'CallExpression') return undefined
  const chain = chainOf(nodeIn(node, 'callee'), constants)
  const kind = chain && kinds[chain.root]
  const [title, ...rest] = nodesIn(node, 'arguments')
  if (chain === undefined || kind === undefined || title === undefined) return undefined
  const text = textIn(title)
  if (text === undefined) return undefined
  const bodies = rest.filter(isBody)
  const switchedOff = chain.words.some((word) => dead.has(word)) || rest.some(isSwitchedOff)
  const cases = chain.rows.flatMap((row) => fillingTexts(row, text))
  return { kind, title: [text, ...cases].join(' '), live: bodies.length > 0 && !switchedOff, bodies }
}

interface Chain {
  readonly root: string
  readonly words: readonly string[]
  /** Rows of a table of cases. */
  readonly rows: readonly Node[]
}

/** A condition that is none: with which value it leaves the test out everywhere. */
const offIf: ReadonlyMap<string, boolean> = new Map([
  ['skipIf', true],
  ['runIf', false],
])

function switchedOffBy({ words }: Chain, given: readonly Node[]): string[] {
  const off = offIf.get(words.at(-1) ?? '')
  return off !== undefined && given.some(({ value }) => value === off) ? ['skip'] : []
}

function chainOf(node: Node | undefined, constants: Collection['constants']): Chain | undefined {
  switch (node?.type) {
    case 'Identifier':
      return { root: String(node['name']), words: [], rows: [] }
    case 'MemberExpression': {
      const chain = chainOf(nodeIn(node, 'object'), constants)
      const word = String(nodeIn(node, 'property')?.['name'])
      return chain && { ...chain, words: [...chain.words, word] }
    }
    case 'CallExpression': {
      const chain = chainOf(nodeIn(node, 'callee'), constants)
      const given = nodesIn(node, 'arguments')
      const rows = given.flatMap((table) => nodesIn(tableOf(table, constants), 'elements'))
      return chain && { ...chain, rows, words: [...chain.words, ...switchedOffBy(chain, given)] }
    }
    default:
      return undefined
  }
}

function tableOf(node: Node, constants: Collection['constants']): Node {
  const name = node.type === 'Identifier' ? String(node['name']) : undefined
  return (name === undefined ? undefined : constants.get(name)) ?? node
}

/** The texts of a row that really come into the title: `%s` takes the next column, `$name` a property. */
function fillingTexts(row: Node, title: string): string[] {
  const columns = title.match(/%[a-z]/g)?.length ?? 0
  const names = [...title.matchAll(/\$(\w+)/g)].map(([, name]) => name)
  const cells =
    row.type === 'ObjectExpression'
      ? nodesIn(row, 'properties')
          .filter((property) => names.includes(String(nodeIn(property, 'key')?.['name'])))
          .flatMap((property) => nodeIn(property, 'value') ?? [])
      : (row.type === 'ArrayExpression' ? nodesIn(row, 'elements') : [row]).slice(0, columns)
  return cells.flatMap((cell) => (cell.type === 'Identifier' ? [] : (textIn(cell) ?? [])))
}

/** Options and timeouts are no body; a function that is empty, or returns at once, shows nothing. */
function isBody(node: Node): boolean {
  if (node.type === 'ObjectExpression' || node.type === 'Literal') return false
  const block = nodeIn(node, 'body')
  if (block?.type !== 'BlockStatement') return true
  const [first] = nodesIn(block, 'body')
  return first !== undefined && !(first.type === 'ReturnStatement' && !nodeIn(first, 'argument'))
}

function isSwitchedOff(options: Node): boolean {
  return nodesIn(options, 'properties').some((property) => {
    const key = String(nodeIn(property, 'key')?.['name'])
    return dead.has(key) && nodeIn(property, 'value')?.['value'] !== false
  })
}

function constantsIn(program: Node): Map<string, Node> {
  const declared = nodesIn(program, 'body').flatMap((node) => nodesIn(node, 'declarations'))
  return new Map(
    declared.flatMap((one): [string, Node][] => {
      const value = nodeIn(one, 'init')
      return value ? [[String(nodeIn(one, 'id')?.['name']), value]] : []
    }),
  )
}

/** The fixed words of a title; what is computed is left out. */
function textIn(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type === 'TemplateLiteral') return templateText(node)
  if (node.type === 'BinaryExpression') {
    return ['left', 'right'].map((side) => textIn(nodeIn(node, side) ?? node) ?? '').join('')
  }
  // A title that is a function's or a value's: known only when it runs.
  return ['Identifier', 'MemberExpression', 'CallExpression'].includes(node.type) ? '$' : undefined
}

function templateText(node: Node): string {
  const parts = nodesIn(node, 'quasis').map((quasi) => (quasi['value'] as { cooked?: string }).cooked ?? '')
  return parts.join('$')
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

function nodeIn(node: Node, key: string): Node | undefined {
  const value = node[key]
  return isNode(value) ? value : undefined
}

function nodesIn(node: Node, key: string): Node[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
