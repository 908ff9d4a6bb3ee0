import { parseDuration } from '../model/duration.ts'
import type { CheckSetting, Settings, SettingsFile } from '../model/settings.ts'
import { entriesOf } from './model-settings.ts'

const defaultCheckMs = 10 * 60_000

/** Absent where none is set: then the project's files tell. */
export function toolsOf(values: Record<string, unknown>): Pick<Settings, 'tools'> {
  const tools = checksOf(values, 'tools')
  return Object.keys(tools).length === 0 ? {} : { tools }
}

export function checksOf(
  values: Record<string, unknown>,
  section: 'checks' | 'tools',
): Record<string, CheckSetting> {
  return Object.fromEntries(
    Object.entries(entriesOf(values, section)).map(([name, value]) => {
      const check = value as NonNullable<SettingsFile['checks']>[string]
      const setting: CheckSetting = {
        command: check.command as [string, ...string[]],
        timeoutMs: parseDuration(check.timeout ?? '') ?? defaultCheckMs,
        optional: check.optional ?? false,
        labels: check.labels ?? {},
        network: check.network ?? [],
      }
      return [name, setting]
    }),
  )
}
