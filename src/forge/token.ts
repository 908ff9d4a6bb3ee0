import { captureCommand } from '../platform/capture.ts'
import { findExecutable } from '../platform/executable.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface TokenQuestion {
  readonly kind: 'github' | 'gitlab'
  readonly host: string
  readonly env: Environment
  /** A variable that the user named in his own settings: it is meant for this forge. */
  readonly variable?: string
}

/**
 * From the environment, else from the login of the forge's own command. A variable is only taken for the host that
 * it belongs to: a clone of somebody's own server must not be given what was meant for another.
 */
export async function findToken(question: TokenQuestion): Promise<string | undefined> {
  const { env, variable } = question
  if (variable !== undefined) return given(env, [variable])
  return given(env, variablesFor(question)) ?? (await loginOf(question))
}

function given(env: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== '')
}

function variablesFor({ kind, host, env }: TokenQuestion): string[] {
  if (kind === 'gitlab') {
    const meant = [env['GITLAB_HOST'], env['CI_SERVER_HOST']].map((name) => name?.replace(/^https?:\/\//, ''))
    return host === 'gitlab.com' || meant.includes(host) ? ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN'] : []
  }
  if (host === 'github.com' || host.endsWith('.ghe.com')) return ['GH_TOKEN', 'GITHUB_TOKEN']
  return env['GH_HOST'] === host ? ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] : []
}

const logins = {
  github: (host: string) => ['gh', 'auth', 'token', '--hostname', host] as const,
  gitlab: (host: string) => ['glab', 'config', 'get', 'token', '--host', host] as const,
}

async function loginOf({ kind, host, env }: TokenQuestion): Promise<string | undefined> {
  const [name, ...words] = logins[kind](host)
  const own = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
  // Never one that lies beside a project.
  const path = (own['PATH'] ?? '')
    .split(':')
    .filter((folder) => folder.startsWith('/') && !folder.includes('node_modules'))
  const program = findExecutable(name, { cwd: '/', env: { PATH: path.join(':') } })
  if (program === undefined) return undefined
  const { code, stdout } = await captureCommand([program, ...words], {
    env: own,
    cwd: '/',
    timeoutMs: 10_000,
  })
  const token = stdout.toString().trim()
  return code === 0 && /^\S+$/.test(token) ? token : undefined
}
