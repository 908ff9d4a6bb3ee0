import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../test/support/git.ts'
import { editorSchemas, writeEditorSchemas } from './editor-schema.ts'
import { layersFor } from './layers.ts'
import { parseYamlDocument } from './yaml-document.ts'

describe('The schemas for editors', () => {
  it.each(Object.entries(editorSchemas()))(
    'are shipped as they are now: %s (if not: vitest run -u)',
    async (name, text) => {
      await expect(text).toMatchFileSnapshot(`../../schemas/${name}`)
    },
  )

  it('accept the built-in workflow and point at a key that does not exist', async () => {
    const path = join(layersFor({ env: {} }).at(-1)?.workflows ?? '', 'pipeline.yaml')
    const { value } = await parseYamlDocument(path, await readFile(path, 'utf8'))
    const validate = new Ajv2020({ strict: false }).compile(
      JSON.parse(editorSchemas()['workflow.schema.json'] ?? '') as object,
    )
    expect(validate(value)).toBe(true)
    expect(validate({ ...(value as object), stesp: [] })).toBe(false)
  })

  it('are written by name', async () => {
    const dir = join(await makeFolder(), 'schemas')
    const paths = await writeEditorSchemas(dir)
    expect(paths).toEqual([join(dir, 'workflow.schema.json'), join(dir, 'config.schema.json')])
    expect(await readFile(join(dir, 'config.schema.json'), 'utf8')).toBe(
      editorSchemas()['config.schema.json'],
    )
  })
})
