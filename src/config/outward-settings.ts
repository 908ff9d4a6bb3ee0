import type { ForgeSettings, NotifyTarget, Settings } from '../model/settings.ts'
import { defined } from './records.ts'

/** By dotted key of the file. */
export function outwardOf(
  values: Readonly<Record<string, unknown>>,
): Pick<Settings, 'forge' | 'remoteCheck' | 'notify'> {
  const remoteCheck = values['remote_check'] as Settings['remoteCheck']
  const isGiven = Object.keys(values).some((key) => key.startsWith('forge.'))
  return {
    ...(isGiven ? { forge: forgeOf(values) } : {}),
    ...defined({ remoteCheck, notify: notifyOf(values['notify']) }),
  }
}

const moments = ['needs_input', 'failed', 'delivered'] as const

function notifyOf(value: unknown): readonly NotifyTarget[] | undefined {
  const targets = value as readonly (Omit<NotifyTarget, 'on'> & Partial<NotifyTarget>)[] | undefined
  return targets?.map((target) => ({ ...target, on: target.on ?? moments }))
}

function forgeOf(values: Readonly<Record<string, unknown>>): ForgeSettings {
  const text = (key: string) => values[`forge.${key}`] as string | undefined
  const list = (key: string) => (values[`forge.${key}`] ?? []) as string[]
  return {
    ...defined({ kind: text('kind'), api: text('api'), repository: text('repository') }),
    ...defined({ tokenEnv: text('token_env') }),
    remote: text('remote') ?? 'origin',
    draft: values['forge.draft'] === true,
    labels: list('labels'),
    reviewers: list('reviewers'),
  }
}
