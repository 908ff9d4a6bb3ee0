import { FailureError } from '../model/failure.ts'
import type { ForgeSettings, NotifyTarget, Settings } from '../model/settings.ts'
import { defined } from './records.ts'

/**
 * What sends something of the user's away from this machine, or starts programs of his outside every wall. A
 * repository that somebody has cloned must not decide that.
 */
const usersOwn = ['forge.api', 'forge.repository', 'forge.token_env', 'notify', 'http.remote']

export function refuseForeign(key: string, where: string): void {
  if (!usersOwn.includes(key)) return
  throw new FailureError({
    code: 'settings.foreign',
    message: `${where}: '${key}' is the user's own business and is not taken from a project.`,
    next: 'Move it into ~/.config/baton/config.yaml',
  })
}

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
