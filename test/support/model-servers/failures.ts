// The ways in which a service fails, in each service's own words.
import type { AgentError } from '../../../src/model/agent.ts'
import type { Json } from '../../../src/model/json.ts'
import type { Kind, Turn } from './model-server.ts'

export const failureNames = ['quota', 'quotaUntil', 'overloaded', 'auth', 'context', 'cut'] as const

export type FailureName = (typeof failureNames)[number]

export const errorOf: Readonly<Record<FailureName, AgentError>> = {
  quota: 'quota',
  quotaUntil: 'quota',
  overloaded: 'overloaded',
  auth: 'auth',
  context: 'context',
  cut: 'crash',
}

type Words = Readonly<Record<FailureName, (until: Date) => Turn>>

const google = (code: number, status: string, more: { readonly [key: string]: Json } = {}): Turn => ({
  error: { status: code, body: { error: { code, status, message: `scripted ${status}`, ...more } } },
})

const anthropic = (status: number, type: string, message: string, headers = {}): Turn => ({
  error: { status, headers, body: { type: 'error', error: { type, message } } },
})

const openai = (status: number, error: { readonly [key: string]: Json }, headers = {}): Turn => ({
  error: { status, headers, body: { error } },
})

const inSeconds = (until: Date) => Math.round((until.getTime() - Date.now()) / 1000)

const words: Readonly<Record<Kind, Words>> = {
  gemini: {
    quota: () =>
      google(429, 'RESOURCE_EXHAUSTED', { message: 'Resource has been exhausted (e.g. check quota).' }),
    quotaUntil: (until) =>
      google(429, 'RESOURCE_EXHAUSTED', {
        message: `You exceeded your current quota. Please retry in ${inSeconds(until)}s.`,
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
          },
        ],
      }),
    overloaded: () => google(500, 'INTERNAL', { message: 'Internal error encountered.' }),
    auth: () =>
      google(401, 'UNAUTHENTICATED', { message: 'API key not valid. Please pass a valid API key.' }),
    context: () =>
      google(400, 'INVALID_ARGUMENT', {
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      }),
    cut: () => ({ say: 'half a sen', cut: true }),
  },
  claude: {
    quota: () => anthropic(429, 'rate_limit_error', 'This request would exceed your rate limit'),
    quotaUntil: (until) =>
      anthropic(429, 'rate_limit_error', `You've hit your usage limit. It resets at ${until.toISOString()}`, {
        'retry-after': String(inSeconds(until)),
      }),
    overloaded: () => anthropic(500, 'api_error', 'Internal server error'),
    auth: () => anthropic(401, 'authentication_error', 'invalid x-api-key'),
    context: () =>
      anthropic(400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'),
    cut: () => ({ say: 'half a sen', cut: true }),
  },
  codex: {
    quota: () => openai(429, { type: 'rate_limit_error', message: 'Rate limit reached for this model' }),
    quotaUntil: (until) =>
      openai(429, {
        ...{ type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'pro' },
        resets_at: Math.round(until.getTime() / 1000),
      }),
    overloaded: () => openai(500, { type: 'server_error', message: 'Internal server error' }),
    auth: () => openai(401, { type: 'invalid_request_error', message: 'Incorrect API key provided' }),
    context: () =>
      openai(400, {
        ...{ type: 'invalid_request_error', code: 'context_length_exceeded' },
        message: 'Your input exceeds the context window of this model.',
      }),
    cut: () => ({ say: 'half a sen', cut: true }),
  },
}

export function failing(kind: Kind, name: FailureName, until = new Date(0)): Turn {
  return words[kind][name](until)
}
