/** What a YAML parser gave up on, as far as it is looked at here. */
interface Broken {
  readonly text: string
  /** The nodes, as far as they were read. */
  readonly contents: unknown
  readonly error: { readonly message: string; readonly pos: readonly [number, number] }
}

export interface Unclosed {
  /** Of the bracket or quote. */
  readonly offset: number
  readonly message: string
  readonly fix: string
}

const closers: Readonly<Record<string, string>> = { '[': ']', '{': '}', '"': '"', "'": "'" }

/** A bracket or quote that is not closed is missed only far below: people look for it where it opens. */
export function unclosedIn({ text, contents, error }: Broken): Unclosed | undefined {
  const opener = openerIn(error.message)
  if (opener === undefined) return undefined
  const open = startsEndingAt(contents, error.pos[0]).filter((start) => text[start] === opener)
  if (open.length === 0) return undefined
  const closer = closers[opener] ?? ''
  return {
    offset: Math.max(...open),
    message: `the ${opener} is not closed`,
    fix: `write the closing ${closer}, in the same line or with all lines up to it indented`,
  }
}

function openerIn(message: string): string | undefined {
  if (message.startsWith('Flow sequence')) return '['
  if (message.startsWith('Flow map')) return '{'
  return /^Missing closing (["'])/.exec(message)?.[1]
}

interface Node {
  readonly range?: readonly number[] | null
  readonly items?: readonly unknown[]
  readonly key?: unknown
  readonly value?: unknown
}

/** Where the nodes begin that the parser had not closed when it gave up. */
function startsEndingAt(node: unknown, end: number): number[] {
  if (typeof node !== 'object' || node === null) return []
  const { range, items = [], key, value } = node as Node
  const own = range?.[0] !== undefined && range[1] === end ? [range[0]] : []
  return [...own, ...[...items, key, value].flatMap((inner) => startsEndingAt(inner, end))]
}
