// Reads and checks the built-in workflows once, so that no start of the program has to.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadOptions } from '../dist/cli/workbench.js'
import { workflowFilesIn } from '../dist/config/find-files.js'
import { knownPath } from '../dist/config/known-workflow.js'
import { layersFor } from '../dist/config/layers.js'
import { loadWorkflow, readWorkflow } from '../dist/config/load-workflow.js'
import { sha256Of } from '../dist/platform/files.js'

const dir = fileURLToPath(new URL('../dist/workflows/', import.meta.url))
rmSync(dir, { recursive: true, force: true })
mkdirSync(dir)

const layers = layersFor({ env: {} })
for (const { name } of await workflowFilesIn(layers[0])) {
  await loadWorkflow(name, loadOptions(layers, { providers: {} }))
  const { source, file } = await readWorkflow(name, layers)
  writeFileSync(knownPath(source), JSON.stringify({ sha256: sha256Of(source.text), file }))
}
