import { basename, extname } from 'node:path'
import { FailureError } from '../model/failure.ts'
import type { RoleFile } from '../model/step-file.ts'
import { shellWord } from '../model/shell-word.ts'
import { schemaCheck } from './check-schema.ts'
import type { SchemaCheck } from './check-schema.ts'
import { findReferenced, leadsOutside, placesFor } from './find-files.ts'
import type { FoundFile, Reference } from './find-files.ts'
import type { Layer } from './layers.ts'
import type { LoadedPrompt, LoadedSchema } from './loaded-workflow.ts'
import { writtenRole } from './normalize-role.ts'
import type { Outline, StepPlace } from './outline.ts'
import { failureOf } from './problems.ts'
import type { Finding, Path } from './problems.ts'
import { refuseOtherEncoding } from './refuse-other-encoding.ts'
import { problemAt } from './yaml-document.ts'
import type { YamlDocument } from './yaml-document.ts'

interface Written {
  readonly outline: Outline
  readonly document: YamlDocument
}

/** A reference in a workflow file, and where it stands. */
export interface PlacedReference {
  readonly name: string
  readonly role: string
  readonly path: Path
}

/** The prompts and system prompts of the roles that some step uses. */
export async function loadPrompts(
  written: Written,
  layers: readonly Layer[],
): Promise<Record<string, LoadedPrompt>> {
  const loaded: Record<string, LoadedPrompt> = {}
  for (const placed of promptsOf(written.outline)) {
    if (Object.hasOwn(loaded, placed.name)) continue
    const { path, text } = await load(written, placed, { kind: 'prompt', layers })
    if (text.trim() === '') throw emptyPrompt(path, placed)
    loaded[placed.name] = { path, text }
  }
  return loaded
}

function emptyPrompt(path: string, { role }: PlacedReference): FailureError {
  return new FailureError({
    code: 'prompt.empty',
    message: `${path}: the prompt of role '${role}' is empty.`,
    next: `Write into it what the role does, or remove the file so that a weaker layer's is used: rm ${shellWord(path)}`,
  })
}

/** Our own schemas are checked by our tests; to check them at every start would cost more than all the rest. */
export async function loadSchemas(
  written: Written,
  layers: readonly Layer[],
): Promise<Record<string, LoadedSchema>> {
  const loaded: Record<string, LoadedSchema> = {}
  let check: SchemaCheck | undefined
  for (const placed of schemasOf(written.outline)) {
    if (Object.hasOwn(loaded, placed.name)) continue
    const { layer, path, text } = await load(written, placed, { kind: 'schema', layers })
    if (layer === 'built-in') {
      loaded[placed.name] = { path, text, value: JSON.parse(text) as LoadedSchema['value'] }
      continue
    }
    check ??= await schemaCheck()
    const { value, problems } = await check({ path, text })
    if (problems.length > 0) throw failureOf(problems, 'schema.invalid')
    loaded[placed.name] = { path, text, value }
  }
  return loaded
}

export function promptsOf(outline: Outline): PlacedReference[] {
  return outline.steps
    .flatMap((place) => [
      ...referencesOf(outline, place, 'prompt'),
      ...referencesOf(outline, place, 'system'),
    ])
    .concat(supervisionPrompts(outline))
}

/** The role that judges stands in no step; what its levels say are prompts too. */
function supervisionPrompts(outline: Outline): PlacedReference[] {
  const { supervision } = outline.file
  if (!supervision) return []
  const { role, escalation = [] } = supervision
  const guidance = escalation.flatMap(({ guidance: name }, index) =>
    name === undefined ? [] : [{ name, role, path: ['supervision', 'escalation', index, 'guidance'] }],
  )
  return [...judgeReferences(outline, 'prompt'), ...judgeReferences(outline, 'system'), ...guidance]
}

function judgeReferences({ file }: Outline, key: ReferenceKey): PlacedReference[] {
  const role = file.supervision?.role
  const name = role === undefined ? undefined : writtenRole(file, role)[key]
  return role === undefined || name === undefined ? [] : [{ name, role, path: ['roles', role, key] }]
}

export function schemasOf(outline: Outline): PlacedReference[] {
  return [
    ...outline.steps.flatMap((place) => referencesOf(outline, place, 'output')),
    ...judgeReferences(outline, 'output'),
  ]
}

type ReferenceKey = keyof RoleFile & ('prompt' | 'system' | 'output')

function referencesOf({ file }: Outline, { step, path }: StepPlace, key: ReferenceKey): PlacedReference[] {
  if (step.agent === undefined) return []
  const name = writtenRole(file, step.agent, step)[key]
  if (name === undefined) return []
  const inRole =
    file.roles?.[step.agent]?.[key] === undefined ? ['defaults', key] : ['roles', step.agent, key]
  return [{ name, role: step.agent, path: step[key] === undefined ? inRole : [...path, key] }]
}

interface Search {
  readonly kind: Reference['kind']
  readonly layers: readonly Layer[]
}

async function load(
  { outline, document }: Written,
  placed: PlacedReference,
  search: Search,
): Promise<FoundFile> {
  const { kind, layers } = search
  const { name, role, path } = placed
  if (leadsOutside(name)) {
    const message = `${kind} '${name}' of role '${role}' leads out of the ${kind}s folder`
    throw failureOf(
      [problemAt(document, { path, message, fix: 'write a file name without a leading / and without ..' })],
      'workflow.invalid',
    )
  }
  const reference: Reference = { kind, name, workflow: { name: outline.file.name, path: document.file } }
  const found = await findReferenced(reference, layers)
  if (found) {
    refuseOtherEncoding(found)
    return found
  }
  const finding = (await otherwiseNamed(reference, placed, layers)) ?? missing(reference, placed, layers)
  throw failureOf([problemAt(document, finding)], `${kind}.missing`)
}

function missing(reference: Reference, { role, path }: PlacedReference, layers: readonly Layer[]): Finding {
  const { kind, name, workflow } = reference
  const places = placesFor(reference, layers)
  const file = fileNameOf(reference)
  const names = file === workflow.name ? '' : ` ('name' is '${workflow.name}', the file is called '${file}')`
  const message = `${kind} '${name}' of role '${role}' is missing; looked for ${places.map((place) => place.path).join(', ')}${names}`
  return { path, message, fix: `create ${places[0]?.path}` }
}

/** Folders are called like the workflow's `name`; whoever has renamed one of the two looks at the wrong one for long. */
async function otherwiseNamed(
  reference: Reference,
  { role }: PlacedReference,
  layers: readonly Layer[],
): Promise<Finding | undefined> {
  const { kind, name, workflow } = reference
  const file = fileNameOf(reference)
  const found = await findReferenced({ ...reference, workflow: { ...workflow, name: file } }, layers)
  if (!found) return undefined
  const folder = found.path.slice(0, -name.length - 1)
  const message = `the file is called '${file}', but its 'name' is '${workflow.name}', and so the ${kind} '${name}' of role '${role}' is not looked for in ${folder}`
  return { path: ['name'], message, fix: `write 'name: ${file}'` }
}

function fileNameOf({ workflow }: Reference): string {
  return basename(workflow.path, extname(workflow.path))
}
