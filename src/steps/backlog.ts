import type { Json, JsonObject } from '../model/json.ts'

/** Ideas that a role had beside its task (R001-124). */
export function backlogItems(answer: JsonObject): string[] {
  const items = answer['backlog_items']
  if (!Array.isArray(items)) return []
  return items
    .filter((item: Json): item is string => typeof item === 'string')
    .map(oneLine)
    .filter((item) => item !== '')
    .slice(0, 50)
}

export interface BacklogSource {
  readonly title: string
  readonly run: string
  readonly date: string
}

/** The backlog with the items appended; what is in it already, in the same words, is not added twice. */
export function withItems(
  backlog: string | undefined,
  items: readonly string[],
  source: BacklogSource,
): string {
  const text =
    backlog ??
    '# Backlog\n\nIdeas from runs, for later. One line each: what, who had it, in which run, when.\n'
  const fresh = [...new Set(items)].filter((item) => !text.includes(`- [ ] ${item} (`))
  const lines = fresh.map((item) => `- [ ] ${item} (${source.title}, run ${source.run}, ${source.date})`)
  if (lines.length === 0) return text
  const head = backlog === undefined ? `${text}\n` : text.endsWith('\n') ? text : `${text}\n`
  return `${head}${lines.join('\n')}\n`
}

function oneLine(item: string): string {
  const line = item.replaceAll(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 497)}...` : line
}
