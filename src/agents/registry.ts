import type { Provider } from '../model/agent.ts'
import { FailureError } from '../model/failure.ts'
import { findExecutable } from '../platform/executable.ts'
import { createHttpProvider } from './http.ts'
import type { HttpOptions } from './http.ts'
import { createScriptedProvider } from './scripted.ts'

export interface RegistryOptions {
  /** PATH of the agents. */
  readonly path: string
  readonly cwd: string
  readonly script?: { readonly file: string; readonly text?: string }
  readonly http?: Omit<HttpOptions, 'path'>
}

/** Agent tools that workflows may name; a run with one of them is refused until its adapter and walls exist. */
const tools = ['gemini', 'claude', 'codex'] as const

export const providerNames: readonly string[] = ['scripted', 'http', ...tools]

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
  if (name === 'scripted') {
    const { path, script } = options
    return createScriptedProvider({ path, scriptFile: script?.file, text: script?.text })
  }
  if (name === 'http') return createHttpProvider({ path: options.path, ...options.http })
  if ((tools as readonly string[]).includes(name)) return refusedTool(name, options)
  throw new FailureError({
    code: 'provider.unknown',
    message: `There is no provider '${name}'.`,
    next: `Choose one of: ${providerNames.join(', ')}`,
  })
}

function refusedTool(name: string, { path, cwd }: RegistryOptions): Provider {
  const refuse = (): Promise<never> => {
    const found = findExecutable(name, { cwd, env: { PATH: path } }) !== undefined
    throw found ? notYet(name) : notFound(name)
  }
  return { name, check: async () => refuse(), command: async () => refuse() }
}

function notFound(name: string): FailureError {
  return new FailureError({
    code: 'provider.missing',
    message: `Command '${name}' not found. Please ensure it is installed and in your PATH.`,
    next: 'This version runs scripted agents only: baton run "<task>" --provider scripted --script FILE',
  })
}

function notYet(name: string): FailureError {
  return new FailureError({
    code: 'provider.unsupported',
    message: `This version cannot run '${name}' yet: its adapter and the sandbox are not built.`,
    next: 'Try the workflow with scripted agents: baton run "<task>" --provider scripted --script FILE',
  })
}
