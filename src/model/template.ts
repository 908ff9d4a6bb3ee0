import { isJsonObject, textOf } from './json.ts'
import type { Json, JsonObject } from './json.ts'

const placeholder = /\{\{|\}\}|\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)\}/g

/** A name that a template uses and nobody has given. */
export class UnknownVariableError extends Error {
  readonly variable: string

  constructor(variable: string) {
    super(`unknown variable '{${variable}}'`)
    this.name = 'UnknownVariableError'
    this.variable = variable
  }
}

/** The variables of a template, as written: `{docs}` gives `docs`, `{item.id}` gives `item.id`. */
export function variablesOf(template: string): string[] {
  return placedVariables(template).map(([name]) => name)
}

/** The same, each with where it stands. */
export function placedVariables(template: string): [name: string, index: number][] {
  return Array.from(template.matchAll(placeholder)).flatMap(({ 1: name, index }) =>
    name === undefined ? [] : [[name, index]],
  )
}

/** `{name}` becomes its value, `{{` and `}}` a brace. An unknown name throws: a prompt with a hole in it is a bug. */
export function expand(template: string, values: JsonObject): string {
  return template.replaceAll(placeholder, (match, name: string | undefined) => {
    if (name === undefined) return match[0] ?? ''
    const value = lookUp(name, values)
    // A step that has not run, a field that an answer left out: nothing to say, not a mistake in the file.
    if (value === undefined && name.includes('.')) return ''
    if (value === undefined) throw new UnknownVariableError(name)
    return textOf(value)
  })
}

/** As `expand`, but a template that is one variable and nothing else keeps the value's own type. */
export function expandValue(template: Json, values: JsonObject): Json {
  if (typeof template === 'string') {
    const [name] = variablesOf(template)
    const value = name !== undefined && template === `{${name}}` ? lookUp(name, values) : undefined
    return value === undefined ? expand(template, values) : value
  }
  if (Array.isArray(template)) return template.map((part: Json) => expandValue(part, values))
  if (isJsonObject(template)) {
    return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, expandValue(part, values)]))
  }
  return template
}

export function lookUp(path: string, values: JsonObject): Json | undefined {
  let found: Json | undefined = values
  for (const part of path.split('.')) {
    found = childOf(found, part)
    if (found === undefined) return undefined
  }
  return found
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (isArray(value)) return key === 'length' ? value.length : value[Number(key)]
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
