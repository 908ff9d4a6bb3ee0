import type { HttpAnswer } from '../platform/http.ts'
import { ForgeError } from './forge.ts'

interface Question {
  readonly name: string
  readonly what: string
}

/** What a refusal means, and what the person can do about it. */
export function problemOf(answer: HttpAnswer, question: Question): ForgeError {
  const { name, what } = question
  const said = messageOf(answer)
  const about = `${name} refused ${what} (${answer.status}${said === '' ? '' : `: ${said}`})`
  return (
    refusedAccess(answer, question, said) ??
    (answer.status === 404 || answer.status === 410
      ? new ForgeError('missing', about, 'Look whether it exists, and whether the token may see it')
      : answer.status >= 500
        ? new ForgeError('unreachable', about, 'Wait until the service is well again, then: baton resume')
        : new ForgeError('invalid', about, 'Put right what it names, then: baton resume'))
  )
}

function refusedAccess(
  { status, headers }: HttpAnswer,
  { name, what }: Question,
  said: string,
): ForgeError | undefined {
  if (status === 401) return new ForgeError('unauthorized', `${name} does not take the token`, tokenNext)
  if (status !== 403 && status !== 429) return undefined
  const reset = resetOf(status, headers, said)
  if (reset !== undefined) return rateLimited(name, reset)
  const sso = /url=([^;\s]+)/.exec(headers['x-github-sso'] ?? '')?.[1]
  if (sso !== undefined) {
    const message = `${name} wants the token authorized for single sign-on`
    return new ForgeError('sso', message, `Open ${sso}, then: baton resume`)
  }
  if (/archived/i.test(said)) {
    const message = `The repository is archived at ${name}: it takes no changes`
    return new ForgeError('archived', message, 'Unarchive it, or deliver locally: --deliver local')
  }
  const message = `The token may not do ${what} at ${name}${said === '' ? '' : ` (${said})`}`
  return new ForgeError('forbidden', message, tokenNext)
}

function rateLimited(name: string, reset: string): ForgeError {
  const until = reset === '' ? '' : ` until ${reset}`
  const message = `${name} answers no more requests${until}`
  return new ForgeError('rate_limited', message, `Wait${until}, then: baton resume`)
}

const tokenNext = 'Use a token with the rights that docs/guide/pull-requests.md names, then: baton resume'

/** Undefined: not a matter of rates. Empty: nobody says until when. */
function resetOf(status: number, headers: HttpAnswer['headers'], said: string): string | undefined {
  const seconds = Number(headers['retry-after'])
  if (headers['retry-after'] !== undefined && Number.isFinite(seconds))
    return momentOf(Date.now() / 1000 + seconds)
  const isUsedUp = (headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']) === '0'
  if (isUsedUp) return momentOf(Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']))
  return status === 429 || /rate limit/i.test(said) ? '' : undefined
}

function momentOf(seconds: number): string {
  return Number.isFinite(seconds) && seconds > 0 && seconds < 1e11
    ? new Date(seconds * 1000).toISOString().slice(0, 19) + 'Z'
    : ''
}

/** The service's own words: one line, nothing that a terminal would obey. */
function messageOf({ body }: HttpAnswer): string {
  try {
    const value = JSON.parse(body) as Record<string, unknown>
    const errors = Array.isArray(value['errors']) ? value['errors'].map(textOf) : []
    const said = [textOf(value['message'] ?? value['error']), ...errors]
      .filter((part) => part !== '')
      .join('; ')
    return said.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 300)
  } catch {
    return ''
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  if ('message' in value && typeof value.message === 'string') return value.message
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}
