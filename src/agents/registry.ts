import type { Provider } from '../model/agent.ts'
import type { CommandProvider } from '../model/command-provider.ts'
import { FailureError } from '../model/failure.ts'
import { createClaudeProvider } from './claude.ts'
import { createCodexProvider } from './codex.ts'
import { createCommandProvider } from './command.ts'
import { createGeminiProvider } from './gemini.ts'
import { createHttpProvider } from './http.ts'
import type { HttpOptions } from './http.ts'
import { createScriptedProvider } from './scripted.ts'

export interface RegistryOptions {
  /** PATH of the agents. */
  readonly path: string
  readonly cwd: string
  /** The user's variables, for keys and addresses of services. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly shareLogin?: boolean
  readonly maxTurns?: number
  /** Tools that only the settings know. */
  readonly commands?: Readonly<Record<string, CommandProvider>>
  readonly script?: { readonly file: string; readonly text?: string }
  readonly http?: Omit<HttpOptions, 'path'>
  /** What a tool means by "in an hour" is reckoned from here. */
  readonly now?: () => number
}

const defaultTurns = 200

const tools = {
  gemini: createGeminiProvider,
  claude: createClaudeProvider,
  codex: createCodexProvider,
} as const

/** Command-line tools of others, which have to be installed. */
export const toolNames: readonly string[] = Object.keys(tools)

export const providerNames: readonly string[] = ['scripted', 'http', ...toolNames]

/** Those that reach no other machine, or only one that the user has named. */
export const offlineProviders: readonly string[] = ['scripted', 'http']

/** Played by the roles of a workflow that name no provider, unless the settings do. */
export const defaultProvider = 'gemini'

/** Finds a provider by name; each is made once. */
export function createRegistry(options: RegistryOptions): (name: string) => Provider {
  const made = new Map<string, Provider>()
  return (name) => {
    const provider = made.get(name) ?? create(name, options)
    made.set(name, provider)
    return provider
  }
}

function create(name: string, options: RegistryOptions): Provider {
  const { path, cwd, env, script, commands = {}, now = Date.now } = options
  if (name === 'scripted')
    return createScriptedProvider({ path, scriptFile: script?.file, text: script?.text })
  if (name === 'http') return createHttpProvider({ path, ...options.http })
  const given = {
    path,
    cwd,
    env,
    shareLogin: options.shareLogin === true,
    maxTurns: options.maxTurns ?? defaultTurns,
  }
  const make = toolNamed(name)
  if (make) return make(given, now)
  const spec = commands[name]
  if (spec) return createCommandProvider(name, spec, { ...given, now })
  throw new FailureError({
    code: 'provider.unknown',
    message: `There is no provider '${name}'.`,
    next: `Choose one of: ${[...providerNames, ...Object.keys(commands)].join(', ')}`,
  })
}

function toolNamed(name: string): (typeof tools)[keyof typeof tools] | undefined {
  return Object.entries(tools).find(([tool]) => tool === name)?.[1]
}
