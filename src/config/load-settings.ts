import { join, resolve } from 'node:path'
import { parseDuration } from '../model/duration.ts'
import { FailureError } from '../model/failure.ts'
import { ownRules } from '../model/firewall-rule.ts'
import { isJsonObject } from '../model/json.ts'
import { settingsFileSchema } from '../model/settings.ts'
import type { Settings, SettingsFile } from '../model/settings.ts'
import { fileEndings, readIfFile } from './find-files.ts'
import type { Layer } from './layers.ts'
import { modelSettings } from './model-settings.ts'
import type { ModelSettings } from './model-settings.ts'
import { failureOf } from './problems.ts'
import { defined } from './records.ts'
import { outwardOf, refuseForeign } from './outward-settings.ts'
import { parseYamlDocument } from './yaml-document.ts'
import type { YamlDocument } from './yaml-document.ts'
import { checksOf, limitsOf, providersOf, worktreeOf } from './settings-parts.ts'
import { findingsIn, readAs } from './zod-problems.ts'

export interface SettingsOptions {
  readonly layers: readonly Layer[]
  readonly flags: SettingsFlags
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Settings that the command line may give, under their names in the file. */
export type SettingsFlags = Readonly<
  Partial<
    Record<
      | 'workflow'
      | 'provider'
      | 'model'
      | 'complexity'
      | 'base'
      | 'deliver'
      | 'time_limit'
      | 'sandbox'
      | 'remote_check',
      string | undefined
    >
  > &
    Partial<Record<'max_cost' | 'max_tokens', number | 'none' | undefined>>
>

interface SettingSource {
  readonly layer: 'default' | 'user' | 'project' | 'env' | 'flag'
  /** `file:line`, the variable's name, the flag; empty for a default. */
  readonly where: string
}

export interface LoadedSettings {
  readonly settings: Settings
  /** As they are written, by dotted key of the file. */
  readonly values: Readonly<Record<string, unknown>>
  /** By dotted key of the file: `provider`, `checks.tests`, `worktree.copy`. */
  readonly sources: Readonly<Record<string, SettingSource>>
}

/** Flags over variables of the environment over the project's file over the user's over the defaults, key by key. */
export async function loadSettings({ layers, flags, env }: SettingsOptions): Promise<LoadedSettings> {
  const files = await Promise.all(layers.filter(({ name }) => name !== 'built-in').map(givenByFile))
  const given = [
    ...defaults,
    ...files.toReversed().flat(),
    ...givenByEnvironment(env),
    ...givenByFlags(flags),
  ]
  const winners = new Map(given.map((one) => [one.key, one]))
  const values = Object.fromEntries([...winners].map(([key, { value }]) => [key, value]))
  return {
    settings: {
      ...settingsOf(values, layers),
      ...modelSettings(values, winners.get('model')?.source.layer),
    },
    values,
    sources: Object.fromEntries([...winners].map(([key, { source }]) => [key, source])),
  }
}

export interface SettingRow {
  readonly key: string
  readonly value: string
  readonly source: string
}

/** One row for each setting, for `baton config show`. */
export function explainSettings({ values, sources }: LoadedSettings): SettingRow[] {
  return Object.entries(sources)
    .map(([key, { layer, where }]) => ({
      key,
      value: shown(values[key]),
      source: where === '' ? layer : `${layer} (${where})`,
    }))
    .toSorted((left, right) => left.key.localeCompare(right.key))
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** One setting as somebody gave it, weakest first in every list of them. */
interface Given {
  readonly key: string
  readonly value: unknown
  readonly source: SettingSource
}

const defaults: readonly Given[] = Object.entries({
  workflow: 'pipeline',
  'worktree.copy': [],
  'worktree.link': [],
  'worktree.setup': [],
  'worktree.setup_timeout': '10m',
  'worktree.setup_network': [],
  'worktree.ports': [],
  'limits.memory': '8GB',
  'limits.processes': 2000,
  'limits.file_size': '10GB',
}).map(([key, value]) => ({ key, value, source: { layer: 'default', where: '' } }))

/** Maps whose keys are set one by one; everything else is replaced whole. */
const sections = [
  'checks',
  'worktree',
  'limits',
  'providers',
  'scripted',
  'forge',
  'http',
  'models',
  'prices',
]

async function givenByFile(layer: Layer): Promise<Given[]> {
  const document = await settingsDocument(layer)
  if (!document) return []
  // An empty file, or one with nothing but comments, says nothing.
  const { value, problems } = readAs(
    document.value === null ? { ...document, value: {} } : document,
    settingsFileSchema,
  )
  if (!value) throw failureOf(problems, 'settings.invalid')
  return Object.entries(value)
    .filter(([key]) => key !== '$schema')
    .flatMap(([key, entry]) => {
      const isSection = sections.includes(key) && isJsonObject(entry)
      return isSection
        ? Object.entries(entry).map(([inner, part]) => ({ path: [key, inner], part: part as unknown }))
        : [{ path: [key], part: entry }]
    })
    .map(({ path, part }) => {
      const where = `${document.file}:${document.keyPositionOf(path).line}`
      if (layer.name === 'project') refuseForeign(path.join('.'), where)
      // Rules of both files hold at once.
      const key = path[0] === 'firewall' ? `firewall.${layer.name}` : path.join('.')
      return { key, value: part, source: { layer: layer.name as 'user' | 'project', where } }
    })
}

async function settingsDocument(layer: Layer): Promise<YamlDocument | undefined> {
  const found: YamlDocument[] = []
  for (const ending of fileEndings) {
    const file = join(layer.dir, `config${ending}`)
    const text = await readIfFile(file)
    if (text !== undefined) found.push(await parseYamlDocument(file, text))
  }
  const [first, second] = found
  if (first && second) {
    const problem = {
      file: second.file,
      line: 1,
      column: 1,
      message: `${first.file} exists as well`,
      fix: 'keep one of them',
    }
    throw failureOf([problem], 'settings.invalid')
  }
  return first
}

/** Weakest first: `AGENTD_MODEL` is the name that an older tool gave to the same thing (R002-12). */
const variables = [
  ['workflow', 'BATON_WORKFLOW'],
  ['provider', 'BATON_PROVIDER'],
  ['model', 'AGENTD_MODEL'],
  ['model', 'BATON_MODEL'],
] as const

function givenByEnvironment(env: SettingsOptions['env']): Given[] {
  return variables.flatMap(([key, name]) => {
    const value = env[name]
    return value === undefined || value === ''
      ? []
      : [{ key, value, source: { layer: 'env' as const, where: name } }]
  })
}

function givenByFlags(flags: SettingsFlags): Given[] {
  const [wrong] = findingsIn(flags, settingsFileSchema)
  if (wrong) {
    const message = `${flagOf(String(wrong.path[0]))}: ${wrong.message}`
    throw new FailureError({ code: 'settings.invalid', message, next: wrong.fix })
  }
  return Object.entries(flags).flatMap(([key, value]) => {
    return value === undefined ? [] : [{ key, value, source: { layer: 'flag' as const, where: flagOf(key) } }]
  })
}

function flagOf(key: string): string {
  return `--${key.replaceAll('_', '-')}`
}

/** The winning values were read through the schema, so their types are those of the file. */
function settingsOf(
  values: Record<string, unknown>,
  layers: readonly Layer[],
): Omit<Settings, keyof ModelSettings> {
  const file = values as Omit<
    SettingsFile,
    'checks' | 'worktree' | 'limits' | 'providers' | 'scripted' | 'http'
  >
  const { provider, base, deliver, sandbox, login } = file
  const script = values['scripted.script'] as string | undefined
  return {
    workflow: file.workflow ?? '',
    ...defined({
      provider,
      base,
      deliver,
      sandbox,
      login,
      timeLimitMs: parseDuration(file.time_limit ?? ''),
    }),
    checks: checksOf(values),
    worktree: worktreeOf(values),
    ...outwardOf(values),
    limits: limitsOf(values),
    providers: providersOf(values),
    ...defined({ firewall: firewallOf(values) }),
    ...defined({ script: script && resolve(projectRootOf(layers), script) }),
    ...defined({ http: httpOf(values) }),
  }
}

/** Undefined where nobody has said anything about it. */
function httpOf(values: Record<string, unknown>): Settings['http'] | undefined {
  const file = values as Record<string, string | undefined>
  const http = defined({
    ...{ baseUrl: file['http.base_url'], model: file['http.model'], keyVariable: file['http.key_variable'] },
    remote: values['http.remote'] as boolean | undefined,
  })
  return Object.keys(http).length === 0 ? undefined : http
}

function firewallOf(values: Record<string, unknown>): Settings['firewall'] {
  const rules = values as Record<string, SettingsFile['firewall']>
  const [user, project] = [rules['firewall.user'], rules['firewall.project']]
  if (!user && !project) return undefined
  return { user: ownRules('user', user ?? []), project: ownRules('project', project ?? []) }
}

function projectRootOf(layers: readonly Layer[]): string {
  const project = layers.find(({ name }) => name === 'project')
  return project ? join(project.dir, '..') : ''
}
