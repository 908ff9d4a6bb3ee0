// The checks of the schemas that come with the program, as the text of a module.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { compilerOptions, digestOf } from '../dist/steps/compile-schema.js'

const dir = new URL('../workflows/schemas/', import.meta.url)

/** Takes the place of src/steps/known-schemas.ts. */
export function knownSchemasModule() {
  const code = { ...compilerOptions.code, source: true, esm: true, lines: true }
  const ajv = new Ajv2020({ ...compilerOptions, addUsedSchema: true, code })
  const names = {}
  for (const file of readdirSync(dir).toSorted()) {
    const schema = JSON.parse(readFileSync(new URL(file, dir), 'utf8'))
    const name = `check_${file.replace(/\W/g, '_')}`
    // Under a name of ours: what a schema says of its own place is no use here.
    ajv.addSchema(schema, name)
    names[name] = digestOf(schema)
  }
  const checks = standalone.default(ajv, Object.fromEntries(Object.keys(names).map((name) => [name, name])))
  const entries = Object.entries(names).map(([name, digest]) => `  ['${digest}', ${name}],`)
  return `${checks}\nexport const knownSchemas = new Map([\n${entries.join('\n')}\n])\n`
}
