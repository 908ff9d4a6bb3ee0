import type { ErrorObject } from 'ajv/dist/2020.js'
import { findingsOf, isOpen } from '../model/finding.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Limits, Role } from '../model/workflow.ts'
import { limitProblems } from './answer-limits.ts'
import { compileSchema } from './compile-schema.ts'

export type Validate = (value: Json) => readonly string[]

/** Sentences that say what does not fit: they are quoted back to the agent, so they must be ones it can act on. */
export async function answerValidator(
  role: Role,
  schema: Json | undefined,
  limits?: Limits,
): Promise<Validate> {
  const bySchema = schema === undefined ? () => [] : await schemaValidator(schema)
  return (value) => {
    const problems = bySchema(value)
    if (problems.length > 0 || !isJsonObject(value)) return problems
    return [
      ...limitProblems(limits, role, value),
      ...verdictProblems(role, value),
      ...findingProblems(role, value),
      ...backlogProblems(value),
    ]
  }
}

/** By the schema's value, which lives as long as the run: a role is asked more than once. */
const compiled = new WeakMap<object, Promise<Validate>>()

async function schemaValidator(schema: Json): Promise<Validate> {
  const given = isJsonObject(schema) ? schema : {}
  const known = compiled.get(given) ?? compile(given)
  compiled.set(given, known)
  return known
}

async function compile(schema: JsonObject): Promise<Validate> {
  const check = await compileSchema(schema)
  return (value) => {
    if (check(value) === true) return []
    const errors = (check.errors ?? []).filter(({ keyword }) => keyword !== 'if')
    return [...new Set(errors.map(sentence))]
  }
}

function sentence({ instancePath, message, keyword, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the answer' : instancePath.slice(1).replaceAll('/', '.')
  const given = params as JsonObject
  if (keyword === 'enum')
    return `${where}: must be one of ${(given['allowedValues'] as Json[]).map(textOf).join(', ')}`
  if (keyword === 'additionalProperties')
    return `${where}: unknown key '${textOf(given['additionalProperty'])}'`
  if (keyword === 'required') return `${where}: '${textOf(given['missingProperty'])}' is missing`
  return `${where}: ${message ?? keyword}`
}

function verdictProblems(role: Role, answer: JsonObject): string[] {
  const field = verdictField(role, answer)
  if (field === undefined) return missingVerdict(role)
  const words = Object.keys(role.verdicts[field] ?? {})
  const said = textOf(answer[field]).slice(0, 80)
  return words.includes(said) ? [] : [`${field}: '${said}' is not one of ${words.join(', ')}`]
}

/** A role whose every field may be absent (an error object, say) ends ok without one; a single one that says ok is a must. */
function missingVerdict(role: Role): string[] {
  const [[field, words] = ['', {}], ...others] = Object.entries(role.verdicts)
  return others.length === 0 && Object.values(words).includes('ok') ? [`'${field}' is missing`] : []
}

/** Who lets something pass has nothing of weight open. Only its own words are held against each other. */
function findingProblems(role: Role, answer: JsonObject): string[] {
  const { outcome, label } = verdictOf(role, answer)
  if (outcome !== 'ok' || label === undefined) return []
  const open = findingsOf(answer).filter((one) => isOpen(one) && weighty.includes(one.severity))
  return open.map(({ id, severity }) => `findings: ${id} (${severity}) is open, which contradicts '${label}'`)
}

const weighty = ['blocker', 'major']

function backlogProblems(answer: JsonObject): string[] {
  const items = answer['backlog_items']
  if (items === undefined) return []
  const fine =
    Array.isArray(items) && items.every((item: Json) => typeof item === 'string' && item.trim() !== '')
  return fine ? [] : ['backlog_items: must be a list of sentences']
}

function verdictField(role: Role, answer: JsonObject): string | undefined {
  return Object.keys(role.verdicts).find((field) => answer[field] !== undefined)
}

/** The first verdict field that is present decides; none means ok. */
export function verdictOf(
  role: Role,
  answer: JsonObject,
): { readonly outcome: Outcome; readonly label?: string } {
  const field = verdictField(role, answer)
  if (field === undefined) return { outcome: 'ok' }
  const label = textOf(answer[field])
  return { outcome: role.verdicts[field]?.[label] ?? 'failed', label }
}
