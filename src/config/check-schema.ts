import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Problem } from './problems.ts'
import { parseYamlDocument, positionInText, problemAt } from './yaml-document.ts'
import type { YamlDocument } from './yaml-document.ts'

export type SchemaCheck = (file: SchemaFile) => Promise<{ value: Json; problems: readonly Problem[] }>

interface SchemaFile {
  readonly path: string
  readonly text: string
}

/**
 * Reads a JSON Schema (2020-12) and says what is wrong with it; a keyword that does not exist is wrong too.
 * One check for many schemas: each new Ajv compiles the schema of schemas again, 60 ms each time.
 */
export async function schemaCheck(): Promise<SchemaCheck> {
  const { Ajv2020 } = await import('../model/ajv.ts')
  const lenient = { validateFormats: false, strictTypes: false, strictTuples: false }
  // It is asked to validate once, below; compiling would do so again.
  const ajv = new Ajv2020({ logger: false, validateSchema: false, ...lenient })
  return async ({ path, text }) => {
    const document = await parseYamlDocument(path, text)
    const value = document.value as Json
    return { value, problems: document.problems.length > 0 ? document.problems : problemsIn(document, ajv) }
  }
}

function problemsIn(document: YamlDocument, ajv: Ajv2020): Problem[] {
  const { value } = document
  if (!isJsonObject(value)) {
    const fix = 'write { "type": "object", ... }'
    return [problemAt(document, { path: [], message: 'a JSON Schema must be a map', fix })]
  }
  try {
    if (ajv.validateSchema(value) !== true)
      return (ajv.errors ?? []).slice(0, 1).map((error) => formProblem(document, error))
    ajv.compile(value)
    // Two files may have the same $id.
    ajv.removeSchema(value)
    return []
  } catch (error) {
    return [compileProblem(document, error instanceof Error ? error.message : String(error))]
  }
}

function formProblem(document: YamlDocument, { instancePath, message = 'not valid' }: ErrorObject): Problem {
  const path = instancePath.split('/').slice(1)
  return problemAt(document, {
    path,
    message: `not a JSON Schema: ${message}`,
    fix: 'correct the schema here',
  })
}

/** Ajv names the word it stumbled over, not its place. */
function compileProblem(document: YamlDocument, message: string): Problem {
  const word = /"([^"]+)"/.exec(message)?.[1]
  const index = word === undefined ? 0 : document.text.indexOf(word)
  const fix = word === undefined ? 'correct the schema' : `correct or remove '${word}'`
  const short = message.replace(/^strict mode: /, '')
  return {
    file: document.file,
    ...positionInText(document.text, index),
    message: `not a JSON Schema: ${short}`,
    fix,
  }
}
