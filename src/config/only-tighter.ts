import { isAbsolute, normalize } from 'node:path'
import { parseDuration } from '../model/duration.ts'
import { FailureError } from '../model/failure.ts'
import { isJsonObject } from '../model/json.ts'
import { parseSize } from '../model/size.ts'
import type { GivenSetting } from './given-setting.ts'

/** What the user's own file says, and where it is or would be. */
export interface OwnSettings {
  readonly given: readonly GivenSetting[]
  readonly file: string
}

/**
 * What of a project's file counts: a repository that somebody has cloned can tighten what its user has settled, and
 * loosen nothing. What would open something is refused; a number that is wider than the user's own does not count.
 */
export function onlyTighter(project: readonly GivenSetting[], own: OwnSettings): GivenSetting[] {
  const said = new Map(own.given.map(({ key, value }) => [key, value]))
  for (const one of project) {
    const refusal = refusalOf(one, { said, file: own.file })
    if (refusal) throw new FailureError({ code: 'settings.foreign', ...refusal })
  }
  return [...project.filter(({ key, value }) => !isSettled(key, value, said)), ...elsewhere(project, said)]
}

/**
 * Scripted agents do what their script says and need no walls where the user has written or chosen it. One that a
 * project names is the project's program. Weaker than what the user says himself, so he may still want none.
 */
export function wallsForScript(project: readonly GivenSetting[]): GivenSetting[] {
  const script = project.find(({ key }) => key === 'scripted.script')
  return script ? [{ key: 'sandbox', value: 'required', source: script.source }] : []
}

type Said = ReadonlyMap<string, unknown>

interface Refusal {
  readonly message: string
  readonly next: string
}

/**
 * What sends something of the user's away from this machine, hands it to somebody, or starts programs of his outside
 * every wall.
 */
const usersOwn = [
  'forge.api',
  'forge.repository',
  'forge.token_env',
  'notify',
  'http.remote',
  'http.key_variable',
]

interface Own {
  readonly said: Said
  readonly file: string
}

type Rule = (one: GivenSetting, own: Own) => Refusal | undefined

const rules: readonly Rule[] = [
  ({ key }, { file }) =>
    usersOwn.includes(key)
      ? {
          message: `'${key}' is the user's own business and is not taken from a project.`,
          next: `Move '${key}' into ${file}`,
        }
      : undefined,
  ({ key, value }, { said, file }) => {
    if (!(key in strictest) || !isLooser(key, value, said.get(key) ?? strictest[key])) return undefined
    const line = `'${key}: ${String(value)}'`
    const flag = key === 'sandbox' ? 'baton run --sandbox off ..., or ' : ''
    return {
      message: `a project can only tighten: ${line} is not taken from it.`,
      next: `Take it out there. If you want it: ${flag}${line} in ${file}`,
    }
  },
  ({ key, value }, { file }) =>
    key.startsWith('providers.') && isJsonObject(value) && value['env'] !== undefined
      ? {
          message: `'${key}.env' would hand variables of yours to a program that the project names.`,
          next: `Take 'env' out there. If the tool is to have them, describe '${key}' in ${file}: that counts then`,
        }
      : undefined,
  ({ key, value }, { file }) =>
    key === 'scripted.script' && leadsOut(String(value))
      ? {
          message: `the script of a project has to lie in it, and '${String(value)}' does not.`,
          next: `Name it with --script, or move 'scripted.script' into ${file}`,
        }
      : undefined,
]

function refusalOf(one: GivenSetting, own: Own): Refusal | undefined {
  const refusal = rules.map((rule) => rule(one, own)).find((found) => found !== undefined)
  return refusal && { ...refusal, message: `${one.source.where}: ${refusal.message}` }
}

function leadsOut(path: string): boolean {
  return isAbsolute(path) || normalize(path).split('/')[0] === '..'
}

/** What holds where the user has said nothing, for settings whose looser value opens something. */
const strictest: Readonly<Record<string, string>> = { sandbox: 'required', login: 'none' }

/** The larger, the more is allowed. */
const looseness: Readonly<Record<string, (value: unknown) => number | undefined>> = {
  sandbox: rankIn('required', 'off'),
  login: rankIn('none', 'share'),
  remote_check: rankIn('abort', 'warn', 'off'),
  max_cost: amount,
  max_tokens: amount,
  time_limit: (value) => parseDuration(String(value)),
  'limits.memory': (value) => parseSize(String(value)),
  'limits.processes': amount,
  'limits.file_size': (value) => parseSize(String(value)),
}

function rankIn(...words: readonly string[]): (value: unknown) => number {
  return (value) => words.indexOf(String(value))
}

function amount(value: unknown): number {
  return value === 'none' ? Infinity : Number(value)
}

function isLooser(key: string, value: unknown, than: unknown): boolean {
  const measure = looseness[key]
  if (!measure || than === undefined) return false
  return (measure(value) ?? 0) > (measure(than) ?? 0)
}

/** A tool or a price that the user has described is his: a limit reckoned with somebody else's prices is none. */
function isSettled(key: string, value: unknown, said: Said): boolean {
  const isDescribed = key.startsWith('providers.') || key.startsWith('prices.')
  return isDescribed ? said.has(key) : isLooser(key, value, said.get(key))
}

/** The user's word that his model server may be on another machine is not for one that a project names. */
function elsewhere(project: readonly GivenSetting[], said: Said): GivenSetting[] {
  const url = project.find(({ key }) => key === 'http.base_url')
  if (!url || said.get('http.remote') !== true) return []
  return [{ key: 'http.remote', value: false, source: url.source }]
}
