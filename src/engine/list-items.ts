import type { Json } from '../model/json.ts'
import { textOf } from '../model/json.ts'
import { expand, expandValue } from '../model/template.ts'
import { problemLines } from '../model/task-list.ts'
import type { ListedTask } from '../model/task-list.ts'
import type { EachStep } from '../model/workflow.ts'
import { listIn, valuesIn } from './frame.ts'
import type { Frame } from './frame.ts'
import { orderItems } from '../model/order-items.ts'
import type { Item, OrderedItems } from '../model/order-items.ts'

export type ListItems =
  | { readonly type: 'items'; readonly items: readonly Item[]; readonly file?: ListFile }
  | { readonly type: 'refused'; readonly reason: string; readonly outcome: 'failed' | 'revise' }

/** A list in a file, whose boxes the engine ticks. */
export interface ListFile {
  readonly path: string
  /** All that were open when the list was read, asked for or not. */
  readonly open: readonly string[]
}

/** The items of an `each`: of a list in an answer, or the open tasks of a Markdown file. */
export async function listItems(frame: Frame, step: EachStep, key: string): Promise<ListItems> {
  const only = onlyOf(frame, step)
  if (isListFile(step.list))
    return itemsOfFile(frame, { path: expand(step.list, valuesIn(frame)), only, key })
  const list = listIn(frame, step.list)
  if (!list) return { type: 'refused', outcome: 'failed', reason: `'${step.list}' is not a list` }
  return itemsFrom(orderItems(list, only))
}

/** A path is not the name of a list in an answer. */
function isListFile(list: string): boolean {
  return list.includes('/') || list.endsWith('.md')
}

async function itemsOfFile(
  { context, performer }: Frame,
  { path, only, key }: { readonly path: string; readonly only: readonly string[]; readonly key: string },
): Promise<ListItems> {
  if (!performer.readList) throw new Error('this performer reads no lists')
  const { tasks, problems } = await performer.readList(context, { key, path })
  if (problems.length > 0) return refused(problemLines(path, problems))
  const missing = only.filter((id) => tasks.every((task) => task.id !== id))
  if (missing.length > 0)
    return refused(
      `${path} has no task ${missing.join(', ')}: there are ${tasks.map(({ id }) => id).join(', ')}`,
    )
  const open = tasks.filter(({ done }) => !done)
  const wanted = only.length === 0 ? open : open.filter(({ id }) => only.includes(id))
  const file = { path, open: open.map(({ id }) => id) }
  return itemsFrom(orderItems(wanted.map(itemOf), []), file)
}

function itemOf({ id, title, details, section }: ListedTask): Json {
  return { id, title, ...(details === '' ? {} : { details }), ...(section === '' ? {} : { section }) }
}

function itemsFrom(ordered: OrderedItems, file?: ListFile): ListItems {
  if (ordered.type === 'refused') return refused(ordered.reason)
  return { type: 'items', items: ordered.items, ...(file ? { file } : {}) }
}

function refused(reason: string): ListItems {
  return { type: 'refused', outcome: 'revise', reason }
}

function onlyOf(frame: Frame, step: EachStep): readonly string[] {
  if (step.only === undefined) return []
  const only = expandValue(step.only, valuesIn(frame))
  return Array.isArray(only) ? only.map((id: Json) => textOf(id)) : []
}
