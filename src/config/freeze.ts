import { dirname, extname, join } from 'node:path'
import * as z from 'zod'
import { FailureError } from '../model/failure.ts'
import type { Json } from '../model/json.ts'
import type { Settings } from '../model/settings.ts'
import type { Workflow } from '../model/workflow.ts'
import { ensureDirectory, sha256Of, syncDirectory, writeFileAtomic, writeSynced } from '../platform/files.ts'
import { leadsOutside, readIfFile } from './find-files.ts'
import type { LoadedWorkflow } from './loaded-workflow.ts'
import { mapped } from './records.ts'

/** What a run was started with: kept with it, so that editing a prompt does not change a run that is under way. */
export interface FrozenRun {
  readonly loaded: LoadedWorkflow
  readonly settings: Settings
  /** Anything else that the run must not lose, by name. */
  readonly files?: Readonly<Record<string, string>>
}

/** The digest stands for all of it; who keeps it elsewhere can tell whether anything was changed. */
export async function freezeRun(dir: string, frozen: FrozenRun): Promise<{ digest: string }> {
  const texts = textsOf(frozen)
  const folders = new Set([...texts.keys()].map((name) => dirname(join(dir, name))))
  await Promise.all([...folders].map(ensureDirectory))
  await Promise.all([...texts].map(([name, text]) => writeSynced(join(dir, name), text, 'w')))
  await Promise.all([...folders].map(syncDirectory))
  const files = sorted([...texts].map(([name, text]) => [name, sha256Of(text)]))
  // Last, and whole or not at all: a folder without it was never finished.
  await writeFileAtomic(join(dir, manifestName), asJson({ format, files }))
  return { digest: digestOf(files) }
}

/** Exactly what was frozen, or a refusal. */
export async function loadFrozen(
  dir: string,
  expected: { readonly digest?: string } = {},
): Promise<Required<FrozenRun> & { digest: string }> {
  const files = await readManifest(dir)
  const digest = digestOf(files)
  if (expected.digest !== undefined && expected.digest !== digest)
    throw changed(join(dir, manifestName), 'was changed')
  const texts = new Map<string, string>()
  for (const [name, sha256] of Object.entries(files)) {
    const text = await readIfFile(join(dir, name))
    if (text === undefined) throw changed(join(dir, name), 'is missing')
    if (sha256Of(text) !== sha256) throw changed(join(dir, name), 'was changed')
    texts.set(name, text)
  }
  return { ...assemble(dir, texts), digest }
}

const format = 1
const manifestName = 'manifest.json'
const manifestSchema = z.strictObject({ format: z.literal(format), files: z.record(z.string(), z.string()) })

/** The index of a frozen run: the workflow as the engine runs it, and which file holds which text. */
interface Index {
  readonly workflow: Workflow
  readonly source: {
    readonly layer: LoadedWorkflow['source']['layer']
    readonly path: string
    readonly file: string
  }
  readonly prompts: Readonly<Record<string, { readonly path: string }>>
  readonly schemas: Readonly<Record<string, { readonly path: string; readonly value: Json }>>
}

function textsOf({ loaded, settings, files = {} }: FrozenRun): Map<string, string> {
  const { workflow, source, prompts, schemas } = loaded
  const file = `workflow${extname(source.path)}`
  const index: Index = {
    workflow,
    source: { layer: source.layer, path: source.path, file },
    prompts: mapped(prompts, ({ path }) => ({ path })),
    schemas: mapped(schemas, ({ path, value }) => ({ path, value })),
  }
  return new Map([
    [file, source.text],
    ['loaded.json', asJson(index)],
    ['settings.json', asJson(settings)],
    ...Object.entries(prompts).map(([name, { text }]) => [`prompts/${name}`, text] as const),
    ...Object.entries(schemas).map(([name, { text }]) => [`schemas/${name}`, text] as const),
    ...Object.entries(files).map(([name, text]) => [`files/${inside(name)}`, text] as const),
  ])
}

function inside(name: string): string {
  if (leadsOutside(name)) throw new Error(`a frozen file must stay in its folder: ${name}`)
  return name
}

async function readManifest(dir: string): Promise<Record<string, string>> {
  const path = join(dir, manifestName)
  const text = await readIfFile(path)
  if (text === undefined) throw changed(path, 'is missing')
  const parsed = manifestSchema.safeParse(parseJson(text))
  if (!parsed.success || Object.keys(parsed.data.files).some(leadsOutside)) throw changed(path, 'was changed')
  return parsed.data.files
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the schema refuses undefined.
    return undefined
  }
}

/** Every text has been checked against its digest: these are our own words, so they are not parsed again. */
function assemble(dir: string, texts: ReadonlyMap<string, string>): Required<FrozenRun> {
  const take = (name: string): string => {
    const text = texts.get(name)
    if (text === undefined) throw changed(join(dir, name), 'is missing')
    return text
  }
  const index = JSON.parse(take('loaded.json')) as Index
  const { layer, path, file } = index.source
  const others = [...texts].filter(([name]) => name.startsWith('files/'))
  return {
    loaded: {
      workflow: index.workflow,
      source: { layer, path, text: take(file) },
      prompts: mapped(index.prompts, (prompt, name) => ({ ...prompt, text: take(`prompts/${name}`) })),
      schemas: mapped(index.schemas, (schema, name) => ({ ...schema, text: take(`schemas/${name}`) })),
    },
    settings: JSON.parse(take('settings.json')) as Settings,
    files: Object.fromEntries(others.map(([name, text]) => [name.slice('files/'.length), text])),
  }
}

function digestOf(files: Readonly<Record<string, string>>): string {
  return sha256Of(asJson(sorted(Object.entries(files))))
}

function sorted(entries: [string, string][]): Record<string, string> {
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function changed(path: string, what: string): FailureError {
  return new FailureError({
    code: 'run.frozen_changed',
    message: `${path} ${what} since the run was started.`,
    next: 'Put the file back as it was, or start the task again with baton run.',
  })
}
