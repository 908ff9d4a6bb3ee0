import { parseDuration } from '../model/duration.ts'
import type { Role } from '../model/workflow.ts'
import type { RoleFile, StepFile } from '../model/step-file.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import { defined } from './records.ts'

/** Who plays the roles where the file does not say, and where the user overrules it. */
export interface Casting {
  readonly defaultProvider: string
  readonly providerOverride?: string
}

const roleKeys = [
  ...['title', 'prompt', 'system', 'provider', 'model', 'fallback', 'capabilities', 'may_write', 'commits'],
  ...['edits'],
  ...['answer', 'output', 'verdicts', 'feedback', 'retry', 'repair', 'timeout'],
] as readonly (keyof RoleFile)[]

const minute = 60_000

export const defaultWallMs = 30 * minute

/** A role's keys as written: the step's over the role's over the file's defaults. */
export function writtenRole(file: WorkflowFile, name: string, step?: StepFile): RoleFile {
  const layers: readonly (RoleFile | undefined)[] = [file.defaults, file.roles?.[name], step]
  return {
    ...Object.assign({}, ...layers.map(roleKeysOf)),
    ...joined('retry', layers),
    ...joined('timeout', layers),
  }
}

export function roleKeysOf(layer: RoleFile | undefined): RoleFile {
  return Object.fromEntries(
    roleKeys.flatMap((key) => (layer?.[key] === undefined ? [] : [[key, layer[key]]])),
  )
}

function joined(key: 'retry' | 'timeout', layers: readonly (RoleFile | undefined)[]): RoleFile {
  const parts = layers.flatMap((layer) => layer?.[key] ?? [])
  return parts.length === 0 ? {} : { [key]: Object.assign({}, ...parts) as unknown }
}

export function normalizeRole(name: string, written: RoleFile, casting: Casting): Role {
  return {
    name,
    title: written.title ?? name.replaceAll('_', ' ').toUpperCase(),
    prompt: written.prompt ?? '',
    ...defined({ system: written.system, network: written.network }),
    ...playerOf(written, casting),
    capabilities: written.capabilities ?? ['read'],
    mayWrite: written.may_write ?? [],
    ...answerOf(written),
    retry: retryOf(written),
    repair: written.repair ?? 2,
    timeout: timeoutOf(written),
  }
}

/** A model belongs to its provider: where another provider is put in, the file's model and fallback do not go along. */
function playerOf(written: RoleFile, casting: Casting): Pick<Role, 'provider' | 'model' | 'fallback'> {
  const own = written.provider ?? casting.defaultProvider
  const provider = casting.providerOverride ?? own
  const model = provider === own ? written.model : undefined
  const fallback = casting.providerOverride === undefined ? written.fallback : undefined
  return { provider, ...defined({ model, fallback }) }
}

function answerOf(
  written: RoleFile,
): Pick<Role, 'commits' | 'edits' | 'answer' | 'output' | 'verdicts' | 'feedback'> {
  return {
    commits: written.commits ?? 'engine',
    edits: written.edits ?? 'agent',
    answer: written.answer ?? 'json_tail',
    ...defined({ output: written.output }),
    verdicts: written.verdicts ?? {},
    feedback: written.feedback ?? 'feedback',
  }
}

function retryOf({ retry }: RoleFile): Role['retry'] {
  return {
    maxAttempts: retry?.max_attempts ?? 3,
    delayMs: parseDuration(retry?.delay ?? '') ?? 5000,
    backoff: retry?.backoff ?? 2,
  }
}

function timeoutOf({ timeout }: RoleFile): Role['timeout'] {
  const wallMs = parseDuration(timeout?.wall ?? '') ?? defaultWallMs
  return {
    wallMs,
    idleMs: parseDuration(timeout?.idle ?? '') ?? 5 * minute,
    toolMs: parseDuration(timeout?.tool ?? '') ?? wallMs,
  }
}
