/** What may cross a process, a file or the journal: plain JSON, nothing else. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value in a sentence: text as it is, anything else as JSON. */
export function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Undefined properties, dates, NaN, holes in lists and class instances do not survive JSON. */
export function survivesJson(value: unknown): value is Json {
  if (value === null) return true
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      return survivesAsContainer(value)
    default:
      return false
  }
}

function survivesAsContainer(value: object): boolean {
  // `every` passes over holes; a copy has none.
  if (Array.isArray(value)) return [...(value as unknown[])].every(survivesJson)
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return false
  if (Object.getOwnPropertySymbols(value).length > 0) return false
  return Object.values(value).every(survivesJson)
}
