import { join } from 'node:path'
import type {
  AgentEnd,
  AgentEvent,
  AgentFailure,
  AgentRequest,
  LineParser,
  Provider,
} from '../model/agent.ts'
import { FailureError } from '../model/failure.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { errorCode } from '../platform/errno.ts'
import { ensureDirectory } from '../platform/files.ts'
import { packageFile } from '../platform/package-file.ts'
import { writeFile } from '../platform/quick-files.ts'
import { baseUrlOf } from './http-settings.ts'
import type { HttpSettings } from './http-settings.ts'

export interface HttpOptions extends HttpSettings {
  readonly path: string
  /** The value of the key, where there is one. */
  readonly key?: string | undefined
}

/** What the child program is told; the key goes through its environment. */
export interface HttpPlay {
  readonly baseUrl: string
  readonly remote: boolean
  readonly model?: string
  readonly system?: string
  readonly schema?: Json
}

/** Any server that speaks the common chat protocol, for roles that need no tools: a small program asks it. */
export function createHttpProvider(options: HttpOptions): Provider {
  return {
    name: 'http',
    hasNoTools: true,
    get hosts() {
      return [baseUrlOf(options).hostname]
    },
    async check() {
      const url = baseUrlOf(options)
      const { send } = await import('./http-request.ts')
      const answer = await send({
        method: 'GET',
        url: modelsOf(url),
        key: options.key,
        silenceMs: 10_000,
      }).catch((error: unknown) => unreachable(url, error))
      answer.destroy()
    },
    async command(request) {
      const url = baseUrlOf(options)
      const file = join(request.home, 'http-call.json')
      await ensureDirectory(request.home)
      await writeFile(file, JSON.stringify(playOf(url, options, request)))
      const program = packageFile('dist/agents/http-agent.cjs')
      return { argv: [process.execPath, program, file], env: environmentOf(options, request) }
    },
    parse: () => ({ line: readEvent }),
    judge,
  }
}

function playOf(url: URL, options: HttpOptions, request: AgentRequest): HttpPlay {
  const model = request.model ?? options.model
  const { system, answerSchema } = request
  return {
    ...{ baseUrl: url.href, remote: options.remote ?? false },
    ...(model === undefined ? {} : { model }),
    ...(system === undefined ? {} : { system }),
    ...(answerSchema === undefined ? {} : { schema: answerSchema }),
  }
}

function environmentOf({ path, key }: HttpOptions, { home, env }: AgentRequest): Record<string, string> {
  return { PATH: path, HOME: home, LANG: 'C.UTF-8', ...env, ...(key === undefined ? {} : { [keyName]: key }) }
}

/** The child's own name for it, whatever it is called outside. */
export const keyName = 'BATON_HTTP_KEY'

export function modelsOf(base: URL): URL {
  return new URL(`${base.href.replace(/\/+$/, '')}/models`)
}

function unreachable(url: URL, error: unknown): never {
  throw new FailureError({
    code: 'http.unreachable',
    message: `No model server answers at ${url.href} (${errorCode(error) ?? (error instanceof Error ? error.message : '')}).`,
    next: 'Start it (for example: ollama serve), or name another under http.base_url in .baton/config.yaml',
  })
}

/** The child prints events in our own words already. */
function readEvent(text: string): ReturnType<LineParser['line']> {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && typeof value['type'] === 'string' ? [value as unknown as AgentEvent] : []
  } catch {
    // Half a line of a child that was killed says nothing.
    return []
  }
}

function judge({ code, error, finished, complaint }: AgentEnd): AgentFailure | undefined {
  if (error) return error
  if (code === 0 && finished === true) return undefined
  const last = complaint.trim().split('\n').at(-1) ?? ''
  return {
    error: 'crash',
    message: `the request ended with exit code ${code}${last === '' ? '' : `: ${last}`}`,
  }
}
