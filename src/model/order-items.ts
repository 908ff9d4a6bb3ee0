import type { Json, JsonObject } from './json.ts'
import { isJsonObject, textOf } from './json.ts'

export interface Item {
  readonly id: string
  readonly dependsOn: readonly string[]
  readonly value: Json
}

export type OrderedItems =
  | { readonly type: 'ordered'; readonly items: readonly Item[] }
  | { readonly type: 'refused'; readonly reason: string }

/** Items in the order their `depends_on` asks for, else as listed. A cycle or an unknown id is refused before anybody is asked. */
export function orderItems(list: readonly Json[], only: readonly string[]): OrderedItems {
  const items = list.map(toItem)
  const ids = new Set<string>()
  for (const { id } of items) {
    if (ids.has(id)) return refused(`two items have the id '${id}'`)
    ids.add(id)
  }
  for (const item of items) {
    const unknown = item.dependsOn.find((id) => !ids.has(id))
    if (unknown !== undefined)
      return refused(`item '${item.id}' depends on '${unknown}', which does not exist`)
  }
  const missing = only.find((id) => !ids.has(id))
  if (missing !== undefined) return refused(`there is no item '${missing}'`)
  const ordered = inOrder(items)
  if (!ordered) return refused('the items depend on one another in a circle')
  return {
    type: 'ordered',
    items: only.length === 0 ? ordered : ordered.filter(({ id }) => only.includes(id)),
  }
}

function toItem(value: Json, index: number): Item {
  const object: JsonObject = isJsonObject(value) ? value : {}
  const id = object['id'] === undefined ? String(index + 1) : textOf(object['id'])
  const wanted = object['depends_on'] ?? object['dependsOn']
  return { id, dependsOn: Array.isArray(wanted) ? wanted.map((other: Json) => textOf(other)) : [], value }
}

function inOrder(items: readonly Item[]): Item[] | undefined {
  const done = new Set<string>()
  const ordered: Item[] = []
  const left = [...items]
  while (left.length > 0) {
    // Mostly the first: only dependencies that lead backwards cost a search.
    const at = left.findIndex(({ dependsOn }) => dependsOn.every((id) => done.has(id)))
    const [next] = at === -1 ? [] : left.splice(at, 1)
    if (!next) return undefined
    done.add(next.id)
    ordered.push(next)
  }
  return ordered
}

function refused(reason: string): OrderedItems {
  return { type: 'refused', reason }
}
