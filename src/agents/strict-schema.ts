import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** Whether every object of the schema is closed and all its keys are required, as strict output formats want it. */
export function isStrictSchema(schema: Json): boolean {
  return isJsonObject(schema) && schema['type'] === 'object' && isStrict(schema)
}

function isStrict(schema: Json): boolean {
  if (!isJsonObject(schema)) return !Array.isArray(schema)
  if ('properties' in schema && !isClosed(schema)) return false
  const { properties, items } = schema
  const below = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
  ]
  return !unsupported.some((key) => key in schema) && below.every(isStrict)
}

const unsupported = ['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'patternProperties', '$ref']

function isClosed({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isJsonObject(properties) || !Array.isArray(required)) return false
  return Object.keys(properties).every((key) => required.includes(key))
}
