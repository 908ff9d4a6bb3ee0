import { join } from 'node:path'
import * as z from 'zod'
import { settingsFileSchema } from '../model/settings.ts'
import { workflowFileSchema } from '../model/workflow-file.ts'
import { ensureDirectory, writeFileAtomic } from '../platform/files.ts'

/** JSON Schemas with which an editor completes and checks our files, by file name. */
export function editorSchemas(): Readonly<Record<string, string>> {
  return {
    'workflow.schema.json': schemaText(workflowFileSchema, 'A Baton workflow'),
    'config.schema.json': schemaText(settingsFileSchema, 'Settings of Baton: .baton/config.yaml'),
  }
}

export async function writeEditorSchemas(dir: string): Promise<string[]> {
  await ensureDirectory(dir)
  const schemas = Object.entries(editorSchemas())
  await Promise.all(schemas.map(([name, text]) => writeFileAtomic(join(dir, name), text)))
  return schemas.map(([name]) => join(dir, name))
}

function schemaText(schema: z.ZodType, title: string): string {
  // A refinement (a duration's form) has no JSON Schema: the editor then accepts what the loader refuses.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return `${JSON.stringify({ $schema, title, ...rest }, undefined, 2)}\n`
}
