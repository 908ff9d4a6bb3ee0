import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { isJsonObject } from '../src/model/json.ts'
import type { Json, JsonObject } from '../src/model/json.ts'
import { compileSchema, digestOf } from '../src/steps/compile-schema.ts'
import type { Check } from '../src/steps/known-schemas.ts'
import { makeFolder } from './support/git.ts'

const dir = fileURLToPath(new URL('../workflows/schemas', import.meta.url))
const schemas = readdirSync(dir).map((name) => ({ name, schema: read(join(dir, name)) }))

describe('the schemas of the program, compiled by its build', () => {
  let known: ReadonlyMap<string, Check>
  beforeAll(async () => {
    known = await builtChecks()
  })

  it('are all there, and no others', () => {
    expect([...known.keys()].toSorted()).toEqual(schemas.map(({ schema }) => digestOf(schema)).toSorted())
  })

  it.each(schemas)('say of answers to $name what the compiler says at run time', async ({ schema }) => {
    const built = known.get(digestOf(schema))
    const compiled = await compileSchema(schema)
    const answers = answersTo(schema)
    const verdicts = answers.map((answer) => saysOf(built, answer))
    expect(verdicts).toEqual(answers.map((answer) => saysOf(compiled, answer)))
    // Both kinds are among them, or the comparison would show nothing.
    expect(new Set(verdicts.map(({ fits }) => fits))).toEqual(new Set([true, false]))
  })
})

function saysOf(check: Check | undefined, answer: Json) {
  const fits = check?.(answer)
  return { fits, errors: check?.errors?.map(({ instancePath, message }) => [instancePath, message]) ?? [] }
}

/** The examples; each with one field less, with one of another kind, with one that nobody knows; and no object at all. */
function answersTo(schema: JsonObject): Json[] {
  const examples = (schema['examples'] as Json[]).filter(isJsonObject)
  return [
    ...examples,
    ...examples.flatMap((example) =>
      Object.keys(example).flatMap((key) => [
        Object.fromEntries(Object.entries(example).filter(([name]) => name !== key)),
        { ...example, [key]: '' },
        { ...example, [key]: [{}] },
        { ...example, [key]: 1e9 },
      ]),
    ),
    ...examples.map((example) => ({ ...example, nobody_knows: true })),
    'text',
    [],
  ]
}

function read(file: string): JsonObject {
  return JSON.parse(readFileSync(file, 'utf8')) as JsonObject
}

async function builtChecks(): Promise<ReadonlyMap<string, Check>> {
  const root = new URL('../', import.meta.url)
  const { knownSchemasModule } = (await import(new URL('build/known-schemas.mjs', root).href)) as {
    knownSchemasModule: () => string
  }
  const file = join(await makeFolder(), 'known-schemas.mjs')
  const head = `import { createRequire } from 'node:module'\nconst require = createRequire('${root.href}')\n`
  writeFileSync(file, head + knownSchemasModule())
  const module = (await import(pathToFileURL(file).href)) as { knownSchemas: ReadonlyMap<string, Check> }
  return module.knownSchemas
}
