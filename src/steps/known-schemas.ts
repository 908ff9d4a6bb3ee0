import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Json } from '../model/json.ts'

export interface Check {
  (value: Json): unknown
  errors?: readonly ErrorObject[] | null
}

/**
 * Checks of the schemas that come with the program, by the digest of the schema. Empty here: in the program that is
 * shipped, build/bundle.mjs puts in its place what the compiler of `compile-schema.ts` makes of them.
 */
export const knownSchemas: ReadonlyMap<string, Check> = new Map()
