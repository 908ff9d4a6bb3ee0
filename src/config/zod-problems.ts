import type { z } from 'zod'
import { lookAt, placeOf, subjectOf } from './file-places.ts'
import { nearest, quoted, writeInstead } from './nearest.ts'
import { inOrder } from './problems.ts'
import type { Finding, Path, Problem } from './problems.ts'
import { allowedKeys } from './schema-keys.ts'
import { problemAt } from './yaml-document.ts'
import { agentFor, conditionFor, instead } from './type-hints.ts'
import type { YamlDocument } from './yaml-document.ts'

type Issue = z.core.$ZodIssue

/** The value of a document as the schema reads it, or what is wrong with it. */
export function readAs<T extends z.ZodType>(
  document: YamlDocument,
  schema: T,
): { readonly value?: z.infer<T>; readonly problems: readonly Problem[] } {
  if (document.problems.length > 0) return { problems: document.problems }
  if (document.value === null) {
    const fix = writeInstead('', allowedKeys(schema, []))
    return { problems: [problemAt(document, { path: [], message: 'the file is empty', fix })] }
  }
  const { data, error } = schema.safeParse(document.value, checkedOnce)
  if (!error) return { value: data, problems: [] }
  const findings = findingsOf(error, { schema, root: document.value })
  return { problems: inOrder(findings.map((finding) => problemAt(document, finding))) }
}

/** Else zod writes a function for every object of the schema, and V8 compiles it: that pays off for many values. */
const checkedOnce = { jitless: true }

export function findingsIn(value: unknown, schema: z.ZodType): Finding[] {
  const { error } = schema.safeParse(value, checkedOnce)
  return error ? findingsOf(error, { schema, root: value }) : []
}

function findingsOf({ issues }: z.ZodError, reading: Reading): Finding[] {
  return withoutEchoes(issues.flatMap((issue) => findingsFor(issue, reading)))
}

interface Reading {
  readonly schema: z.ZodType
  readonly root: unknown
}

/** A mistyped required key is both unknown and missing: one mistake, told once. */
function withoutEchoes(findings: readonly Finding[]): Finding[] {
  const fixes = new Set(findings.filter(({ atKey }) => atKey).map(({ path, fix }) => echo(path, fix)))
  return findings.filter(({ path, message }) => {
    const missing = /^'(\S+)' is missing/.exec(message)?.[1]
    return missing === undefined || !fixes.has(echo(path, `write '${missing}'`))
  })
}

function echo(path: Path, fix: string): string {
  return JSON.stringify([...path.slice(0, -1), fix])
}

function findingsFor(issue: Issue, reading: Reading): Finding[] {
  switch (issue.code) {
    case 'invalid_union':
      return unionFindings(issue, reading)
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, pathOf(issue), reading))
    case 'invalid_key':
      return [
        {
          ...notA(issue.issues[0], issue.path.at(-1)),
          path: pathOf(issue),
          atKey: true,
        },
      ]
    case 'invalid_type':
      return [wrongType(kindsIn([issue]), pathOf(issue), reading)]
    case 'invalid_value':
      return [wrongValue(issue.values.map(String), pathOf(issue), reading)]
    case 'too_small':
    case 'too_big':
      return [outOfRange(issue, reading)]
    default:
      return [{ ...notA(issue, lookAt(reading.root, pathOf(issue))), path: pathOf(issue) }]
  }
}

/** The branch that the author had in mind: one of the right kind with the fewest problems. */
function unionFindings(issue: z.core.$ZodIssueInvalidUnion, reading: Reading): Finding[] {
  const branches = issue.errors.map((branch) => branch.map((inner) => deeper(inner, issue.path)))
  const meant = branches
    .filter((branch) => !isOtherKind(branch, issue.path))
    .toSorted((left, right) => left.length - right.length)[0]
  if (meant) return meant.flatMap((inner) => findingsFor(inner, reading))
  return [
    wrongType(
      branches.flatMap((branch) => kindsIn(branch)),
      pathOf(issue),
      reading,
    ),
  ]
}

function deeper(issue: Issue, path: readonly PropertyKey[]): Issue {
  return { ...issue, path: [...path, ...issue.path] }
}

function isOtherKind(branch: readonly Issue[], path: readonly PropertyKey[]): boolean {
  return branch.every((issue) => {
    if (issue.path.length !== path.length) return false
    if (issue.code === 'invalid_union') return issue.errors.every((inner) => isOtherKind(inner, []))
    return issue.code === 'invalid_type'
  })
}

function kindsIn(branch: readonly Issue[]): string[] {
  return branch.flatMap((issue) => {
    if (issue.code === 'invalid_union') return issue.errors.flatMap((inner) => kindsIn(inner))
    return issue.code === 'invalid_type' ? [ownWords(issue) ?? kinds[issue.expected] ?? issue.expected] : []
  })
}

/** The model may say it better than by the name of a type: "a list of words such as [make, test]". */
function ownWords({ message }: Issue): string | undefined {
  return message.startsWith('Invalid input') ? undefined : message
}

function unknownKey(key: string, path: Path, { schema, root }: Reading): Finding {
  const message = `unknown key '${key}'${placeOf(path, root)}`
  const allowed = allowedKeys(schema, path)
  // Roles are named under `roles`, so this is the first word that comes to mind.
  const isRole = key === 'role' && allowed.includes('agent') && lookAt(root, [...path, 'agent']) === undefined
  const fix = isRole ? agentFor(lookAt(root, [...path, key])) : writeInstead(key, allowed)
  return { path: [...path, key], atKey: true, message, fix }
}

function wrongType(expected: readonly string[], path: Path, { root }: Reading): Finding {
  const value = lookAt(root, path)
  const wanted = [...new Set(expected)].join(' or ')
  if (value !== undefined) {
    const message = `${subjectOf(path, root)} must be ${wanted}, not ${kindOf(value)}`
    const isCondition = path.at(-1) === 'when' && typeof value === 'string'
    return { path, message, fix: isCondition ? conditionFor(value) : instead(wanted, value) }
  }
  const key = String(path.at(-1))
  const message = `'${key}' is missing${placeOf(path.slice(0, -1), root)}`
  return { path, message, fix: `add '${key}:' with ${wanted}` }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction'
  return kinds[typeof value] ?? typeof value
}

function wrongValue(values: readonly string[], path: Path, { root }: Reading): Finding {
  const value = lookAt(root, path)
  const close = typeof value === 'string' ? nearest(value, values) : undefined
  const fix = close === undefined ? `write one of ${values.join(', ')}` : `write ${quoted(close)}`
  return { path, message: `${subjectOf(path, root)} cannot be ${shown(value)}`, fix }
}

function shown(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar ? quoted(String(value)) : kindOf(value)
}

function outOfRange(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, { root }: Reading): Finding {
  const path = pathOf(issue)
  const isList = issue.origin === 'array'
  const bound = issue.code === 'too_small' ? lowerBound(issue) : `at most ${issue.maximum}`
  const message = isList
    ? `${subjectOf(path, root)} must not be empty`
    : `${subjectOf(path, root)} must be ${bound}`
  return { path, message, fix: isList ? 'add at least one entry' : `write a number that is ${bound}` }
}

function lowerBound(issue: z.core.$ZodIssueTooSmall): string {
  return issue.inclusive === false ? `more than ${issue.minimum}` : `at least ${issue.minimum}`
}

/** The model's own messages say what the value should have been: "a duration such as 90s". */
function notA(issue: Issue | undefined, value: unknown): Pick<Finding, 'message' | 'fix'> {
  const isPlain = issue?.code === 'invalid_format' && issue.message.startsWith('Invalid')
  const wanted = isPlain ? `text that matches ${issue.pattern}` : (issue?.message ?? 'a name')
  return { message: `${shown(value)} is not ${wanted}`, fix: `write ${wanted}` }
}

function pathOf(issue: { readonly path: readonly PropertyKey[] }): Path {
  return issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
}
