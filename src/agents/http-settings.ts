import { isIP } from 'node:net'
import { FailureError } from '../model/failure.ts'

/** Where most local servers listen; others are named in the settings. */
const usualUrl = 'http://127.0.0.1:11434/v1'

export interface HttpSettings {
  readonly baseUrl?: string
  readonly model?: string
  /** The variable that holds the key, for a server that wants one. */
  readonly keyVariable?: string
  /** The user's own word that the server may stand on another machine. */
  readonly remote?: boolean
}

/** A base URL that may be spoken to: on this machine, unless the user has said otherwise. */
export function baseUrlOf({ baseUrl = usualUrl, remote = false }: HttpSettings): URL {
  const url = parsed(baseUrl)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new FailureError({
      code: 'http.url',
      message: `'${baseUrl}' is no address of a model server.`,
      next: `Write one such as ${usualUrl} under http.base_url in .baton/config.yaml`,
    })
  }
  if (remote || isLoopback(url.hostname)) return url
  throw new FailureError({
    code: 'http.remote',
    message: `The model server '${url.host}' is not on this machine.`,
    next: 'Name it in your own settings, not the project’s: http: { base_url: ..., remote: true } in ~/.config/baton/config.yaml',
  })
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** By its number, or the one name that everybody means this machine by; nothing is looked up. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}
