import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { loadOptions } from '../cli/workbench.ts'
import { workflowFileSchema } from '../model/workflow-file.ts'
import { checkWorkflow } from './check-workflow.ts'
import { workflowFilesIn } from './find-files.ts'
import { knownWorkflow } from './known-workflow.ts'
import { layersFor } from './layers.ts'
import { parseYamlDocument } from './yaml-document.ts'
import { readAs } from './zod-problems.ts'

const layers = layersFor({ env: {} })
const builtIn = await Promise.all(layers.map(workflowFilesIn))

test.each(builtIn.flat())('$name is known as it reads, and has no problem', async ({ path }) => {
  const text = await readFile(path, 'utf8')
  const document = await parseYamlDocument(path, text)
  const { value: file } = readAs(document, workflowFileSchema)
  if (!file) throw new Error('it does not have the shape of a workflow')
  expect(checkWorkflow(document, file, loadOptions(layers, { providers: {} }))).toEqual([])
  expect(await knownWorkflow({ layer: 'built-in', path, text })).toEqual(file)
})

test('a text that differs, and a file of another layer, are not taken for known', async () => {
  const [path = ''] = builtIn.flat().map((file) => file.path)
  const text = await readFile(path, 'utf8')
  expect(await knownWorkflow({ layer: 'built-in', path, text: `${text}\n# edited\n` })).toBeUndefined()
  expect(await knownWorkflow({ layer: 'project', path, text })).toBeUndefined()
})
