import { rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { isJsonObject } from '../model/json.ts'
import { errorCode } from '../platform/errno.ts'
import { ensureDirectory, writeNewFile } from '../platform/files.ts'
import { findReferenced, readIfFile, workflowFilesIn } from './find-files.ts'
import type { FoundFile, Reference } from './find-files.ts'
import type { Layer } from './layers.ts'
import { promptsOf, schemasOf } from './load-references.ts'
import { readWorkflow } from './load-workflow.ts'
import { defined } from './records.ts'
import { outlineOf } from './outline.ts'
import { parseYamlDocument } from './yaml-document.ts'

export interface ListedWorkflow {
  readonly name: string
  readonly description: string
  readonly layer: Layer['name']
  readonly path: string
  /** The stronger layer whose workflow of the same name is the one that runs. */
  readonly hiddenBy?: Layer['name']
  /** The file of the same name in the same layer, because of which neither of them runs. */
  readonly clashesWith?: string
}

/** Every workflow file of every layer, by name, the strongest of a name first. */
export async function listWorkflows(layers: readonly Layer[]): Promise<ListedWorkflow[]> {
  const found = await Promise.all(layers.map(listLayer))
  const listed: ListedWorkflow[] = []
  for (const one of found.flat()) {
    const stronger = listed.find(({ name, layer }) => name === one.name && layer !== one.layer)
    listed.push(stronger ? { ...one, hiddenBy: stronger.layer } : one)
  }
  return listed.toSorted((left, right) => left.name.localeCompare(right.name))
}

async function listLayer(layer: Layer): Promise<ListedWorkflow[]> {
  const files = await workflowFilesIn(layer)
  return Promise.all(
    files.map(async ({ name, path }) => ({
      name,
      description: await descriptionOf(path),
      layer: layer.name,
      path,
      ...defined({ clashesWith: files.find((other) => other.name === name && other.path !== path)?.path }),
    })),
  )
}

/** Also of a file with problems: a list shows what is there, `loadWorkflow` says what is wrong with it. */
async function descriptionOf(path: string): Promise<string> {
  const { value } = await parseYamlDocument(path, (await readIfFile(path)) ?? '')
  const description = isJsonObject(value) ? value['description'] : undefined
  return typeof description === 'string' ? description : ''
}

export interface EjectOptions {
  readonly layers: readonly Layer[]
  readonly to: Layer
}

/** Copies a workflow with its prompts and schemas into a layer, to be changed there. All of them or none. */
export async function ejectWorkflow(name: string, { layers, to }: EjectOptions): Promise<string[]> {
  const { source, file } = await readWorkflow(name, layers)
  const outline = outlineOf(file)
  const workflow = { name: file.name, path: source.path }
  const copies = new Map([[join(to.workflows, basename(source.path)), source.text]])
  const references: Reference[] = [
    ...promptsOf(outline).map((prompt) => ({ kind: 'prompt' as const, name: prompt.name, workflow })),
    ...schemasOf(outline).map((schema) => ({ kind: 'schema' as const, name: schema.name, workflow })),
  ]
  for (const reference of references) {
    const found = await findReferenced(reference, layers)
    // What the layer has already is what runs from there: nothing to copy.
    if (found && found.layer !== to.name) copies.set(placeIn(to, reference, { found, layers }), found.text)
  }
  await refuseExisting([...copies.keys()])
  await writeAll(copies)
  return [...copies.keys()]
}

/** The same place under the layer's folder that the file has under its own. */
function placeIn(
  to: Layer,
  { kind, name }: Reference,
  { found, layers }: { found: FoundFile; layers: readonly Layer[] },
): string {
  const folder = kind === 'prompt' ? 'prompts' : 'schemas'
  const from = layers.find((layer) => layer.name === found.layer)
  return join(to[folder], from ? relative(from[folder], found.path) : name)
}

async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if ((await readIfFile(path)) !== undefined) throw exists(path)
  }
}

/** Half of a workflow would hide the whole one in the weaker layer, and refuse the next try. */
async function writeAll(copies: ReadonlyMap<string, string>): Promise<void> {
  const written: string[] = []
  try {
    for (const [path, text] of copies) {
      await writeNew(path, text)
      written.push(path)
    }
  } catch (error) {
    await Promise.all(written.map((path) => rm(path, { force: true })))
    throw error
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  await ensureDirectory(dirname(path))
  try {
    await writeNewFile(path, text)
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? exists(path) : error
  }
}

function exists(path: string): FailureError {
  return new FailureError({
    code: 'eject.exists',
    message: `${path} exists already.`,
    next: 'Change that file, or move it away and eject again.',
  })
}
