import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** Undefined for what is no event: tools also print warnings, progress and the like. */
export function objectIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function textIn(value: Json | undefined, key: string): string | undefined {
  const found = isJsonObject(value) ? value[key] : undefined
  return typeof found === 'string' ? found : undefined
}

/** Empty where there is none. */
export function wordIn(value: Json | undefined, key: string): string {
  return textIn(value, key) ?? ''
}

export function numberIn(value: Json | undefined, key: string): number | undefined {
  const found = isJsonObject(value) ? value[key] : undefined
  return typeof found === 'number' ? found : undefined
}

export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isJsonObject(one)) : []
}

/** Only what is known: an unknown number stays unknown. */
export function known<T extends { readonly [key: string]: number | undefined }>(
  numbers: T,
): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number
  }
}
