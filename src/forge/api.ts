import { setTimeout as pause } from 'node:timers/promises'
import type * as z from 'zod'
import { askHttp, NoAnswerError } from '../platform/http.ts'
import type { HttpAnswer, HttpRequest } from '../platform/http.ts'
import { ForgeError } from './forge.ts'
import { problemOf } from './problem-of.ts'

export interface Access {
  /** For people. */
  readonly name: string
  /** Without a slash at its end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** How long to wait before a question that got no answer is asked again. */
  readonly retryMs?: readonly number[]
}

interface Asked<T> {
  readonly path: string
  readonly method?: HttpRequest['method']
  readonly body?: unknown
  /** Read leniently: only what is used is looked at. */
  readonly as: z.ZodType<T>
}

/** A forge's API: questions are asked again when nobody answers, orders never. */
export interface Api {
  ask<T>(asked: Asked<T>): Promise<T>
  /** Undefined where there is no such thing. */
  find<T>(asked: Asked<T>): Promise<T | undefined>
  /** All pages of a list. */
  list<T>(asked: Asked<readonly T[]>): Promise<T[]>
  text(path: string): Promise<string>
}

const mostPages = 50
const largestLog = 5_000_000

export function openApi(access: Access): Api {
  const ask = async <T>({ path, method = 'GET', body, as }: Asked<T>): Promise<T> => {
    const answer = await answered(access, { path, method, body })
    return read(access, answer, as)
  }
  return {
    ask,
    async find(asked) {
      try {
        return await ask(asked)
      } catch (error) {
        if (error instanceof ForgeError && error.problem === 'missing') return undefined
        throw error
      }
    },
    async list({ path, as }) {
      const all = []
      let next: string | undefined = path
      for (let page = 0; next !== undefined && page < mostPages; page++) {
        const answer: HttpAnswer = await answered(access, { path: next, method: 'GET' })
        all.push(...read(access, answer, as))
        next = nextPage(access, answer)
      }
      return all
    },
    async text(path) {
      return (await answered(access, { path, method: 'GET', maxBytes: largestLog })).body
    },
  }
}

interface Question {
  readonly path: string
  readonly method: HttpRequest['method']
  readonly body?: unknown
  readonly maxBytes?: number
}

async function answered(access: Access, question: Question): Promise<HttpAnswer> {
  const delays = question.method === 'GET' ? (access.retryMs ?? [500, 2000]) : []
  for (const delay of delays) {
    const answer = await once(access, question).catch((error: unknown) => {
      if (error instanceof NoAnswerError) return undefined
      throw error
    })
    if (answer && answer.status < 500) return accepted(access, question, answer)
    await pause(delay, undefined, access.signal ? { signal: access.signal } : {})
  }
  const answer = await once(access, question).catch((error: unknown) => {
    if (!(error instanceof NoAnswerError)) throw error
    const next = 'Look at the network, then: baton resume'
    throw new ForgeError('unreachable', `${access.name} does not answer (${error.message})`, next)
  })
  return accepted(access, question, answer)
}

function once(
  { url, headers, env, signal, timeoutMs = 30_000 }: Access,
  question: Question,
): Promise<HttpAnswer> {
  const { path, method, body, maxBytes } = question
  return askHttp({
    ...{ method, url: path.startsWith('http') ? path : `${url}${path}`, timeoutMs, env },
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
}

function accepted({ name }: Access, { path, method }: Question, answer: HttpAnswer): HttpAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw problemOf(answer, { name, what: `${method} ${path.split('?', 1)[0] ?? ''}` })
}

function read<T>({ name }: Access, { body }: HttpAnswer, as: z.ZodType<T>): T {
  try {
    return as.parse(JSON.parse(body === '' ? 'null' : body))
  } catch {
    const next = 'Look at the address of its API: baton config show'
    throw new ForgeError('broken', `${name} answered something that is not what its API describes`, next)
  }
}

/** `Link: <...&page=2>; rel="next"`, as RFC 8288 has it. A page elsewhere is not followed: the token would go along. */
function nextPage({ url }: Access, { headers }: HttpAnswer): string | undefined {
  const links = (headers['link'] ?? '').split(',')
  const target = links.find((link) => /;\s*rel="?next"?/.test(link))?.match(/<([^>]+)>/)?.[1]
  if (target === undefined || !URL.canParse(target, url)) return undefined
  const next = new URL(target, url)
  return next.origin === new URL(url).origin ? next.href : undefined
}
