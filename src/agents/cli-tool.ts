import { join } from 'node:path'
import type { AgentRequest } from '../model/agent.ts'
import { FailureError } from '../model/failure.ts'
import { findExecutable } from '../platform/executable.ts'
import { ensureDirectory, readTextIfPresent } from '../platform/files.ts'
import { writeFile } from '../platform/quick-files.ts'

/** What every adapter of a command-line tool is made with. */
export interface ToolOptions {
  /** PATH of the agents. */
  readonly path: string
  readonly cwd: string
  /** The user's own variables: keys and addresses are looked up here, nothing else is. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Use the tool's own login, from the user's home. */
  readonly shareLogin: boolean
  /** How often the model may be asked in one call; where the tool cannot count it, so many tool calls. */
  readonly maxTurns: number
}

/** One of the tools: how it is called, where its key and its login are. */
export interface Tool {
  readonly name: string
  /** Its name at npm. */
  readonly package: string
  readonly keyVariables: readonly string[]
  readonly baseUrlVariable: string
  /** The file below the user's home that its own login is kept in. */
  readonly loginFile: string
  /** From this version on, before that one; and the one that the tests run. */
  readonly versions: { readonly from: string; readonly before: string; readonly tested: string }
}

export function findTool(tool: Tool, { path, cwd }: ToolOptions): string {
  const found = findExecutable(tool.name, { cwd, env: { PATH: path } })
  if (found !== undefined) return found
  throw new FailureError({
    code: 'provider.missing',
    message: `Command '${tool.name}' not found. Please ensure it is installed and in your PATH.`,
    next: 'baton doctor shows which providers are ready; --provider NAME chooses another',
  })
}

export interface Access {
  readonly key?: string
  readonly url?: string
}

/** A key proxy in front of the service comes first: then the real key is not needed here. */
export function accessOf(tool: Tool, options: ToolOptions, request?: AgentRequest): Access {
  if (request?.endpoint) return { key: request.endpoint.token, url: request.endpoint.url }
  const name = tool.keyVariables.find((one) => (options.env[one] ?? '') !== '')
  const key = name === undefined ? undefined : options.env[name]
  const url = options.env[tool.baseUrlVariable]
  return { ...(key === undefined ? {} : { key }), ...(url === undefined ? {} : { url }) }
}

function loginFileOf({ loginFile }: Tool, { env }: ToolOptions): string | undefined {
  const home = env['HOME']
  return home === undefined || home === '' ? undefined : join(home, loginFile)
}

/** Refused before anything is made: without a key or a login every call would fail. */
export async function requireAccess(tool: Tool, options: ToolOptions): Promise<void> {
  if (accessOf(tool, options).key !== undefined) return
  if (options.shareLogin && (await readLogin(tool, options)) !== undefined) return
  throw new FailureError({
    code: 'provider.auth',
    message: `There is no key for '${tool.name}': ${tool.keyVariables.join(' or ')} is not set.`,
    next: `export ${tool.keyVariables[0] ?? ''}=...  (or "login: share" in your own settings, to use the tool's own login)`,
  })
}

export async function readLogin(tool: Tool, options: ToolOptions): Promise<string | undefined> {
  const file = loginFileOf(tool, options)
  return file === undefined ? undefined : readTextIfPresent(file)
}

/** The tool's own login, copied into the call's home where that was asked for and no key is set. */
export async function shareLogin(tool: Tool, options: ToolOptions, to: string): Promise<boolean> {
  if (!options.shareLogin || accessOf(tool, options).key !== undefined) return false
  const login = await readLogin(tool, options)
  if (login === undefined) return false
  await writeFile(to, login, { mode: 0o600 })
  return true
}

/** Nothing of the user's environment but what is named here. */
export async function baseEnvironment(
  request: AgentRequest,
  { path }: ToolOptions,
): Promise<Record<string, string>> {
  const home = join(request.home, 'user')
  const tmp = join(request.home, 'tmp')
  await ensureDirectory(home)
  await ensureDirectory(tmp)
  return {
    ...{ PATH: path, HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', ...request.env },
    ...(request.model === undefined ? {} : { AGENTD_MODEL: request.model, BATON_MODEL: request.model }),
  }
}

/** Refused: files of the workspace that the tool would obey before anybody could ask. */
export async function refuseFiles(tool: Tool, worktree: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if ((await readTextIfPresent(join(worktree, path))) === undefined) continue
    throw new FailureError({
      code: 'provider.unsafe',
      message: `'${path}' in the worktree configures ${tool.name} and could switch its hooks off, so it is not started.`,
      next: `Remove '${path}' from the branch, or choose another provider for this role.`,
    })
  }
}
