import { FailureError } from '../model/failure.ts'
import type { ForgeSettings } from '../model/settings.ts'
import type { Access } from './api.ts'
import type { Forge } from './forge.ts'
import { githubHeaders, openGithub } from './github.ts'
import { gitlabHeaders, openGitlab } from './gitlab.ts'
import { readRemote } from './remote-address.ts'
import { findToken } from './token.ts'

export interface ForgeQuestion {
  /** Undefined: the repository has no such remote. */
  readonly remoteUrl: string | undefined
  readonly settings: ForgeSettings
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  readonly retryMs?: readonly number[]
}

export type Opened =
  | { readonly type: 'open'; readonly forge: Forge; readonly token: string }
  /** There is one, and no token for it. */
  | { readonly type: 'closed'; readonly why: string; readonly next: string }
  /** Nothing to ask: a bare repository, no remote. Delivery is a file then. */
  | { readonly type: 'none'; readonly why: string }

const kinds = {
  github: {
    title: 'GitHub',
    open: openGithub,
    headers: githubHeaders,
    api: githubApi,
    login: 'Set GITHUB_TOKEN or log in with gh auth login, then: baton resume',
  },
  gitlab: {
    title: 'GitLab',
    open: openGitlab,
    headers: gitlabHeaders,
    api: (host: string, port: string) => `https://${host}${port}/api/v4`,
    login: 'Set GITLAB_TOKEN or log in with glab auth login, then: baton resume',
  },
} as const

type Kind = keyof typeof kinds

function githubApi(host: string, port: string): string {
  if (host === 'github.com' || host.endsWith('.ghe.com')) return `https://api.${host}`
  return `https://${host}${port}/api/v3`
}

interface Found {
  readonly kind: Kind
  readonly host: string
  readonly api: string
  readonly repository: string
}

/** Which forge stands behind the remote, and what opens it. */
export async function openForge(question: ForgeQuestion): Promise<Opened> {
  const found = findForge(question)
  if (typeof found === 'string') return { type: 'none', why: found }
  const { kind, host, api, repository } = found
  const { env, settings, signal, retryMs } = question
  const variable = settings.tokenEnv
  const token = await findToken({ kind, host, env, ...(variable === undefined ? {} : { variable }) })
  const name = `${kinds[kind].title}${isUsual(host) ? '' : ` (${host})`}`
  if (token === undefined)
    return { type: 'closed', why: `there is no token for ${name}`, next: kinds[kind].login }
  const access: Access = {
    ...{ name, url: api, headers: kinds[kind].headers(token), env },
    ...(signal === undefined ? {} : { signal }),
    ...(retryMs === undefined ? {} : { retryMs }),
  }
  return { type: 'open', token, forge: kinds[kind].open(access, repository) }
}

/** A sentence says why there is none. */
function findForge({ remoteUrl, settings }: ForgeQuestion): Found | string {
  const { kind, api, repository } = settings
  if (kind !== undefined && !isKind(kind)) throw unknownKind(kind)
  if (kind !== undefined && api !== undefined && repository !== undefined)
    return { kind, api: safeApi(api), repository, host: new URL(api).hostname }
  return remoteUrl === undefined ? 'there is no remote' : behindRemote(remoteUrl, settings)
}

function behindRemote(remoteUrl: string, { kind, api, repository }: ForgeSettings): Found | string {
  const address = readRemote(remoteUrl)
  if (address.type === 'local') return 'the remote is a plain repository'
  const { host, port, path } = address
  const meant = kind !== undefined && isKind(kind) ? kind : kindOf(host)
  if (meant === undefined) return `which kind of forge ${host} is, is not known (forge.kind in the settings)`
  const usual = kinds[meant].api(host, port === undefined ? '' : `:${port}`)
  return { kind: meant, host, api: api === undefined ? usual : safeApi(api), repository: repository ?? path }
}

function kindOf(host: string): Kind | undefined {
  if (host.endsWith('.ghe.com')) return 'github'
  return Object.keys(kinds)
    .filter(isKind)
    .find((kind) => host.split('.').some((part) => part === kind))
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text)
}

function isUsual(host: string): boolean {
  return Object.keys(kinds).some((kind) => host === `${kind}.com`)
}

/** A token in clear text is for this machine alone. */
function safeApi(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHere = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return text.replace(/\/+$/, '')
  throw new FailureError({
    code: 'forge.api',
    message: `The address of a forge's API has to begin with https://, but forge.api is '${text}'.`,
    next: 'Write it as https://<host>/api/v3 or https://<host>/api/v4: baton config show',
  })
}

function unknownKind(kind: string): FailureError {
  return new FailureError({
    code: 'forge.unknown',
    message: `There is no kind of forge '${kind}'.`,
    next: `Write one of these as forge.kind: ${Object.keys(kinds).join(', ')}`,
  })
}
