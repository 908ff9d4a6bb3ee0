import { basename } from 'node:path'
import { ejectWorkflow, listWorkflows } from '../../config/list-workflows.ts'
import { readWorkflow } from '../../config/load-workflow.ts'
import { explainSettings, loadSettings } from '../../config/load-settings.ts'
import type { LoadedWorkflow } from '../../config/loaded-workflow.ts'
import { defined } from '../../config/records.ts'
import { FailureError } from '../../model/failure.ts'
import { counted } from '../../gates/listed.ts'
import { workflowGraph } from '../../views/workflow-graph.ts'
import type { Command } from '../command.ts'
import { openLayers, openProject } from '../project.ts'
import { loadAll } from '../workbench.ts'
import type { Surroundings } from '../workbench.ts'

export async function listAll({ surroundings, output }: Command): Promise<number> {
  const listed = await listWorkflows(await openLayers(surroundings.cwd, surroundings.env))
  const width = Math.max(...listed.map(({ name }) => name.length))
  const rows = listed.map(({ name, description, layer, hiddenBy, path, clashesWith }) => {
    const hidden = hiddenBy === undefined ? '' : `, hidden by the one in ${hiddenBy}`
    const clash =
      clashesWith === undefined ? '' : `, ${basename(path)} beside ${basename(clashesWith)}: keep one of them`
    return `${name.padEnd(width)}  ${description} (${layer}${hidden}${clash})`
  })
  output.result(
    rows.join('\n'),
    listed.map(({ hiddenBy, clashesWith, ...one }) => ({
      ...one,
      ...defined({ hidden_by: hiddenBy, clashes_with: clashesWith }),
    })),
  )
  return 0
}

export async function showOne({ surroundings, output }: Command, name: string): Promise<number> {
  const { source } = await readWorkflow(name, await openLayers(surroundings.cwd, surroundings.env))
  output.result(source.text, { name, path: source.path, text: source.text })
  return 0
}

/** As a run would read it, with the providers that the settings know. */
async function loadNamed({ cwd, env }: Surroundings, name: string): Promise<LoadedWorkflow> {
  return (await loadAll(await openLayers(cwd, env), { flags: { workflow: name }, env })).loaded
}

export async function validate({ surroundings, output }: Command, name: string): Promise<number> {
  const loaded = await loadNamed(surroundings, name)
  const { workflow, source } = loaded
  const text = `${source.path} is valid: ${counted(workflow.steps.length, 'step')}, ${counted(Object.keys(workflow.roles).length, 'role')}.`
  output.result(text, { name: workflow.name, path: source.path, valid: true })
  return 0
}

export async function graph({ surroundings, output }: Command, name: string): Promise<number> {
  const loaded = await loadNamed(surroundings, name)
  const text = workflowGraph(loaded.workflow)
  output.result(text, { name: loaded.workflow.name, mermaid: text })
  return 0
}

export async function eject({ surroundings, output }: Command, name: string): Promise<number> {
  const { layers } = await openProject(surroundings.cwd, surroundings.env)
  const to = layers.find((layer) => layer.name === 'project')
  if (!to) throw new Error('a project has a project layer')
  const files = await ejectWorkflow(name, { layers, to })
  output.result(files.map((file) => `wrote ${file}`).join('\n'), { name, files })
  return 0
}

export async function showPrompt(
  { surroundings, output }: Command,
  name: string,
  role: string | undefined,
): Promise<number> {
  const loaded = await loadNamed(surroundings, name)
  if (role === undefined) {
    output.result(rolesText(loaded), rolesOf(loaded))
    return 0
  }
  const found = loaded.workflow.roles[role]
  const prompt = found && loaded.prompts[found.prompt]
  if (!found || !prompt) {
    throw new FailureError({
      code: 'role.unknown',
      message: `The workflow '${name}' has no role '${role}'.`,
      next: `Choose one of: ${Object.keys(loaded.workflow.roles).join(', ')}`,
    })
  }
  output.result(prompt.text, { workflow: name, role, path: prompt.path, text: prompt.text })
  return 0
}

function rolesOf({ workflow, prompts }: LoadedWorkflow): { role: string; path: string }[] {
  return Object.entries(workflow.roles).map(([role, { prompt }]) => ({
    role,
    path: prompts[prompt]?.path ?? '',
  }))
}

function rolesText(loaded: LoadedWorkflow): string {
  const roles = rolesOf(loaded)
  const width = Math.max(...roles.map(({ role }) => role.length))
  return roles.map(({ role, path }) => `${role.padEnd(width)}  ${path}`).join('\n')
}

export async function showConfig({ surroundings, output }: Command): Promise<number> {
  const layers = await openLayers(surroundings.cwd, surroundings.env)
  const rows = explainSettings(await loadSettings({ layers, flags: {}, env: surroundings.env }))
  const width = Math.max(...rows.map(({ key }) => key.length))
  const text = rows.map(({ key, value, source }) => `${key.padEnd(width)}  ${value}   # ${source}`).join('\n')
  output.result(
    text,
    rows.map((row) => ({ ...row })),
  )
  return 0
}
