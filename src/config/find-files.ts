import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { shellWord } from '../model/shell-word.ts'
import { errorCode } from '../platform/errno.ts'
import { readFile, readdir } from '../platform/quick-files.ts'
import type { Layer } from './layers.ts'

export interface FoundFile {
  readonly layer: Layer['name'] | 'file'
  readonly path: string
  readonly text: string
}

export const fileEndings = ['.yaml', '.yml', '.json'] as const

/** A reference with a slash or a file's ending is a path; anything else is a name to look up. */
export function isPath(reference: string): boolean {
  return reference.includes('/') || hasEnding(reference)
}

export async function findWorkflow(
  reference: string,
  layers: readonly Layer[],
): Promise<FoundFile | undefined> {
  if (!isPath(reference)) return findByName(reference, layers)
  const path = resolve(reference)
  const text = await readIfFile(path)
  if (text === undefined) return undefined
  const layer = layers.find(({ workflows }) => resolve(workflows) === dirname(path))
  return { layer: layer?.name ?? 'file', path, text }
}

async function findByName(name: string, layers: readonly Layer[]): Promise<FoundFile | undefined> {
  for (const layer of layers) {
    const [found, other] = await filesNamed(name, layer)
    if (found && other) throw twoOfAName(name, found.path, other.path)
    if (found) return found
  }
  return undefined
}

async function filesNamed(name: string, layer: Layer): Promise<FoundFile[]> {
  const files: FoundFile[] = []
  for (const ending of fileEndings) {
    const path = join(layer.workflows, `${name}${ending}`)
    const text = await readIfFile(path)
    if (text !== undefined) files.push({ layer: layer.name, path, text })
  }
  return files
}

/** Whichever we took, whoever edits the other one would wonder for long. */
function twoOfAName(name: string, one: string, other: string): FailureError {
  return new FailureError({
    code: 'workflow.invalid',
    message: `Two files are the workflow '${name}': ${one} and ${other}`,
    next: `Keep one of them: mv ${shellWord(other)} ${shellWord(`${other}.old`)}`,
  })
}

/** What a workflow refers to: a prompt or a schema. */
export interface Reference {
  readonly kind: 'prompt' | 'schema'
  readonly name: string
  readonly workflow: { readonly name: string; readonly path: string }
}

export async function findReferenced(
  reference: Reference,
  layers: readonly Layer[],
): Promise<FoundFile | undefined> {
  for (const { layer, path } of placesFor(reference, layers)) {
    const text = await readIfFile(path)
    if (text !== undefined) return { layer, path, text }
  }
  return undefined
}

/** Strongest first; in each layer the workflow's own folder before the common one; last, beside the workflow file. */
export function placesFor(
  { kind, name, workflow }: Reference,
  layers: readonly Layer[],
): Omit<FoundFile, 'text'>[] {
  const folder = kind === 'prompt' ? 'prompts' : 'schemas'
  return [
    ...layers.flatMap((layer) => [
      { layer: layer.name, path: join(layer[folder], workflow.name, name) },
      { layer: layer.name, path: join(layer[folder], name) },
    ]),
    { layer: 'file' as const, path: join(dirname(workflow.path), name) },
  ]
}

/** A reference is looked up in folders that Baton knows and must not lead out of them. */
export function leadsOutside(name: string): boolean {
  return isAbsolute(name) || name.split(/[/\\]/).includes('..')
}

/** The workflow files of a layer by name, in order of their names. */
export async function workflowFilesIn(layer: Layer): Promise<{ name: string; path: string }[]> {
  const files = (await namesIn(layer.workflows)).filter(hasEnding).toSorted()
  return files.map((file) => ({ name: basename(file, extname(file)), path: join(layer.workflows, file) }))
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** Undefined also for a folder, and for a path that goes through a file: there is no such file either way. */
export async function readIfFile(path: string): Promise<string | undefined> {
  return unlessAbsent(readFile(path, 'utf8'))
}

export async function unlessAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')
}

function hasEnding(name: string): boolean {
  return fileEndings.some((ending) => name.endsWith(ending))
}
