// What a forge publishes about its API, as far as Baton uses it: every request of a test is held against it.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema?: object }[]
  readonly body?: {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly oneOf?: readonly unknown[]
  }
  readonly status: number
  readonly example?: unknown
}

export function readDescription(name: 'github' | 'gitlab'): readonly Operation[] {
  const file = new URL(`../../fixtures/forges/${name}.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { operations: Operation[] }).operations
}

export interface Sent {
  readonly method: string
  /** With its query, without the base path of the API. */
  readonly path: string
  readonly body: unknown
}

export interface Matched {
  readonly operation: Operation
  readonly values: Readonly<Record<string, string>>
}

export function matchOperation(
  operations: readonly Operation[],
  { method, path }: Sent,
): Matched | undefined {
  const [plain = ''] = path.split('?', 1)
  for (const operation of operations.filter((one) => one.method === method)) {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const pattern = operation.path
      .replaceAll(/[.+?^$()|[\]\\]/g, String.raw`\$&`)
      .replaceAll(/\{\w+\}/g, '([^/]+)')
    const found = new RegExp(`^${pattern}$`).exec(plain)
    if (found) {
      const values = names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')] as const)
      return { operation, values: Object.fromEntries(values) }
    }
  }
  return undefined
}

const ajv = new Ajv({ strict: false, coerceTypes: false })

/** Nothing, or what is wrong with a request: a path, a query or a body that the description does not have. */
export function violationsOf(operations: readonly Operation[], sent: Sent): string[] {
  const matched = matchOperation(operations, sent)
  const name = `${sent.method} ${sent.path}`
  if (!matched) return [`${name}: there is no such operation`]
  const { parameters, body } = matched.operation
  const query = new URLSearchParams(sent.path.split('?')[1] ?? '')
  const known = parameters.filter((one) => one.in === 'query')
  const unknown = [...query.keys()].filter((key) => !known.some((one) => one.name === key))
  const missing = known.filter((one) => one.required === true && !query.has(one.name))
  const wrong = known.filter(
    ({ name: key, schema }) => query.has(key) && schema !== undefined && !fits(schema, query.get(key) ?? ''),
  )
  return [
    ...unknown.map((key) => `${name}: the query has no '${key}'`),
    ...missing.map((one) => `${name}: the query needs '${one.name}'`),
    ...wrong.map((one) => `${name}: '${one.name}' has a value that is not allowed`),
    ...bodyViolations(name, body, sent.body),
  ]
}

function fits(schema: object, text: string): boolean {
  return ajv.validate(schema, text) || (text !== '' && ajv.validate(schema, Number(text)))
}

function bodyViolations(name: string, schema: Operation['body'], body: unknown): string[] {
  if (schema === undefined) return body === undefined ? [] : [`${name}: takes no body`]
  if (body === undefined) return [`${name}: needs a body`]
  const keys = typeof body === 'object' && body !== null ? Object.keys(body) : []
  const known = schema.properties
  const unknown = known === undefined ? [] : keys.filter((key) => !(key in known))
  const wrong = ajv.validate(schema, body) ? [] : [`${name}: ${ajv.errorsText()}`]
  return [...unknown.map((key) => `${name}: the body has no '${key}'`), ...wrong]
}
