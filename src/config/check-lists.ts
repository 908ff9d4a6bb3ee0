import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { LoadedSchema } from './loaded-workflow.ts'
import { writeInstead } from './nearest.ts'
import { writtenRole } from './normalize-role.ts'
import type { Outline } from './outline.ts'
import type { Finding } from './problems.ts'

type Schemas = Readonly<Record<string, LoadedSchema>>

/** An `each` over a field of an answer that by its schema has no such list: the run would only come there to stop. */
export function checkLists(outline: Outline, schemas: Schemas): Finding[] {
  return outline.steps.flatMap(({ step, path }) => {
    const asked = step.each === undefined ? undefined : askedOf(outline, step.each, schemas)
    return asked ? findingsFor(asked).map((words) => ({ path: [...path, 'each'], ...words })) : []
  })
}

interface Asked {
  readonly id: string
  readonly field: readonly string[]
  /** As the role writes it. */
  readonly name: string
  readonly schema: LoadedSchema
}

/** Lists that the engine itself adds to what a step has answered. */
const ofEngine = ['findings', 'changed']

/** Undefined for a file, an input, or a step about whose answers nothing is written. */
function askedOf(outline: Outline, list: string, schemas: Schemas): Asked | undefined {
  const [id = '', ...field] = list.replaceAll(/^\{|\}$/g, '').split('.')
  const isFile = /[/]|\.md$/.test(list)
  if (isFile || isGiven(outline, id) || ofEngine.includes(field.join('.'))) return undefined
  const name = outputOf(outline, id)
  const schema = schemas[name]
  return schema ? { id, field, name, schema } : undefined
}

function isGiven({ file }: Outline, name: string): boolean {
  return Object.hasOwn(file.inputs ?? {}, name) || Object.hasOwn(file.paths ?? {}, name)
}

function outputOf({ file, steps }: Outline, id: string): string {
  const step = steps.find((place) => place.step.id === id)?.step
  return step?.agent === undefined ? '' : (writtenRole(file, step.agent, step).output ?? '')
}

function findingsFor({ id, field, name, schema }: Asked): Pick<Finding, 'message' | 'fix'>[] {
  const list = [id, ...field].join('.')
  const found = fieldIn(schema.value, field)
  if (found === 'unknown' || (found !== 'absent' && mayBeList(found))) return []
  const lists = listsIn(schema.value).map((other) => `${id}.${other}`)
  const asked = field.join('.')
  return [
    {
      message:
        found === 'absent'
          ? `'each' names '${list}', but an answer of step '${id}' has no '${asked}' by its schema '${name}'`
          : `'each' names '${list}', which is no list by the schema '${name}' of step '${id}'`,
      fix:
        lists.length === 0
          ? `add '${asked}' with "type": "array" to ${schema.path}`
          : writeInstead(list, lists),
    },
  ]
}

/** `unknown` wherever a schema leaves it open, or is too clever to be read here: then only the run can tell. */
function fieldIn(
  schema: Json | undefined,
  [key, ...rest]: readonly string[],
): JsonObject | 'unknown' | 'absent' {
  if (!isJsonObject(schema) || isOpen(schema)) return 'unknown'
  if (key === undefined) return schema
  const { properties } = schema
  if (!isJsonObject(properties)) return 'unknown'
  return Object.hasOwn(properties, key) ? fieldIn(properties[key], rest) : 'absent'
}

const openers = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'patternProperties',
]

function isOpen(schema: JsonObject): boolean {
  const more = schema['additionalProperties'] ?? schema['unevaluatedProperties'] ?? false
  return more !== false || openers.some((key) => Object.hasOwn(schema, key))
}

function mayBeList({ type }: JsonObject): boolean {
  if (type === undefined) return true
  return Array.isArray(type) ? type.includes('array') : type === 'array'
}

/** The fields that surely are lists, as deep as maps go. */
function listsIn(schema: Json | undefined): string[] {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([key, part]) => {
    if (isJsonObject(part) && part['type'] === 'array') return [key]
    return listsIn(part).map((inner) => `${key}.${inner}`)
  })
}
