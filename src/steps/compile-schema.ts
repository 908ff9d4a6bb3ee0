import type { Ajv2020, Options } from 'ajv/dist/2020.js'
import type { JsonObject } from '../model/json.ts'
import { sha256Of } from '../platform/files.ts'
import { knownSchemas } from './known-schemas.ts'
import type { Check } from './known-schemas.ts'

/** To compile a schema takes longer than the git commands of its step: those of the program were compiled by its build. */
export async function compileSchema(schema: JsonObject): Promise<Check> {
  const known = knownSchemas.size === 0 ? undefined : knownSchemas.get(digestOf(schema))
  if (known) return known
  compiler ??= openCompiler()
  return (await compiler).compile(schema) as Check
}

export function digestOf(schema: JsonObject): string {
  return sha256Of(JSON.stringify(schema))
}

/** @public For the build as well. */
export const compilerOptions: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  // They were checked when the workflow was loaded; checking compiles the schema of schemas, 50 ms a step.
  validateSchema: false,
  // Two files may have the same $id.
  addUsedSchema: false,
  // An answer is looked at once or twice: to make the code quicker takes longer than to run it.
  code: { optimize: false },
}

/** One for all schemas, made when the first is needed: each new one takes as long as the compiling itself. */
let compiler: Promise<Ajv2020> | undefined

async function openCompiler(): Promise<Ajv2020> {
  const { Ajv2020: Compiler } = await import('../model/ajv.ts')
  return new Compiler(compilerOptions)
}
