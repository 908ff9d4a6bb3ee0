import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { listed } from './listed.ts'

/** Fields of the answer that the engine knows the right value of. With `ordered` there are no others, in this order. */
export function answerIsRight({ answer }: GateFacts, parameters: JsonObject): Judgement {
  const wanted = isJsonObject(parameters['answer']) ? parameters['answer'] : {}
  const wrong = Object.entries(wanted).filter(([name, value]) => !isSame(answer[name], value))
  if (wrong.length > 0) {
    return unmet(
      wrong.map(([name, value]) => `${name} is ${shown(answer[name])}, not ${shown(value)}`).join('; '),
    )
  }
  const names = Object.keys(wanted)
  if (parameters['ordered'] === true && Object.keys(answer).join('\n') !== names.join('\n')) {
    return unmet(`the keys are ${listed(Object.keys(answer))}, not ${listed(names)} in this order`)
  }
  return met(`as it must be: ${listed(names)}`)
}

/** Objects are the same in whatever order their keys stand. */
function isSame(one: Json | undefined, other: Json): boolean {
  return one !== undefined && JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  const text = typeof value === 'string' ? `'${value}'` : textOf(value)
  return text.length > 120 ? `${text.slice(0, 120)}... (${text.length} characters)` : text
}
