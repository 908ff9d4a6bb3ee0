import { isJsonObject, textOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { pathKey, pathProblem } from '../model/safe-path.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted, listed } from './listed.ts'

/** `{ ids_in_order: tasks, prefix: T }`: the ids of the list are T1 to Tn, in this order. */
export function idsInOrder({ answer }: GateFacts, parameters: JsonObject): Judgement {
  const items = itemsOf(answer, parameters['ids_in_order'])
  if (items.length === 0) return unmet('there is nothing in the list')
  const prefix = textOf(parameters['prefix'])
  const wrong = items.findIndex((item, index) => item['id'] !== `${prefix}${index + 1}`)
  if (wrong === -1) return met(`${prefix}1 to ${prefix}${items.length}`)
  return unmet(`number ${wrong + 1} is called '${textOf(items[wrong]?.['id'])}', not '${prefix}${wrong + 1}'`)
}

/** `{ artifacts_inside: tasks }`: what the items will write is named by paths that lead nowhere else. */
export function artifactsInside({ answer, places }: GateFacts, parameters: JsonObject): Judgement {
  const items = itemsOf(answer, parameters['artifacts_inside'])
  const bare = items.filter((item) => artifactsOf(item).length === 0).map((item) => textOf(item['id']))
  if (bare.length > 0) return unmet(`no artifacts: ${listed(bare)}`)
  const paths = items.flatMap(artifactsOf)
  const problems = [...paths.flatMap((path) => problemOf(path, places)), ...items.flatMap(sameTwice)]
  return problems.length === 0
    ? met(`${counted(paths.length, 'path')}, all of them inside`)
    : unmet(problems.join('; '))
}

function problemOf(path: string, places: GateFacts['places']): string[] {
  const reason = pathProblem(path) ?? places[path]
  return reason === undefined ? [] : [`'${path.slice(0, 200)}' ${reason}`]
}

/** Within one item: a later one may well write the same file again. */
function sameTwice(item: JsonObject): string[] {
  const seen = new Map<string, string>()
  return artifactsOf(item).flatMap((path) => {
    const key = pathKey(path)
    const other = seen.get(key)
    seen.set(key, path)
    return other === undefined ? [] : [`'${path}' and '${other}' are the same file`]
  })
}

/** The paths that `artifacts_inside` judges, for who looks what is there. */
export function plannedPaths(answer: JsonObject, list: Json | undefined): string[] {
  const paths = itemsOf(answer, list).flatMap(artifactsOf)
  return [...new Set(paths)].filter((path) => pathProblem(path) === undefined)
}

function itemsOf(answer: JsonObject, list: Json | undefined): JsonObject[] {
  const items = answer[typeof list === 'string' ? list : 'tasks']
  return Array.isArray(items) ? items.map((item: Json) => (isJsonObject(item) ? item : {})) : []
}

function artifactsOf(item: JsonObject): string[] {
  const artifacts = item['artifacts']
  return Array.isArray(artifacts) ? artifacts.map((path: Json) => textOf(path)) : []
}
