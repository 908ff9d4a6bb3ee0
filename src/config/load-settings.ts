import { join, resolve } from 'node:path'
import { parseDuration } from '../model/duration.ts'
import { ownRules } from '../model/firewall-rule.ts'
import type { Settings, SettingsFile } from '../model/settings.ts'
import { checksOf, toolsOf } from './check-settings.ts'
import { gatherSettings } from './gather-settings.ts'
import type { SettingsOptions } from './gather-settings.ts'
import type { SettingSource } from './given-setting.ts'
import type { Layer } from './layers.ts'
import { modelSettings } from './model-settings.ts'
import type { ModelSettings } from './model-settings.ts'
import { outwardOf } from './outward-settings.ts'
import { defined } from './records.ts'
import { limitsOf, providersOf, worktreeOf } from './settings-parts.ts'

export interface LoadedSettings {
  readonly settings: Settings
  /** As they are written, by dotted key of the file. */
  readonly values: Readonly<Record<string, unknown>>
  /** By dotted key of the file: `provider`, `checks.tests`, `worktree.copy`. */
  readonly sources: Readonly<Record<string, SettingSource>>
}

/** Flags over variables of the environment over the project's file over the user's over the defaults, key by key. */
export async function loadSettings(options: SettingsOptions): Promise<LoadedSettings> {
  const given = await gatherSettings(options)
  const winners = new Map(given.map((one) => [one.key, one]))
  const values = Object.fromEntries([...winners].map(([key, { value }]) => [key, value]))
  return {
    settings: {
      ...settingsOf(values, options.layers),
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

/** The winning values were read through the schema, so their types are those of the file. */
function settingsOf(
  values: Record<string, unknown>,
  layers: readonly Layer[],
): Omit<Settings, keyof ModelSettings> {
  const file = values as Omit<
    SettingsFile,
    'checks' | 'tools' | 'worktree' | 'limits' | 'providers' | 'scripted' | 'http'
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
    checks: checksOf(values, 'checks'),
    ...toolsOf(values),
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
