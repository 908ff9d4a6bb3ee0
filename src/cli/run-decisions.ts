import { dirname, join } from 'node:path'
import type { JournalLine } from '../model/event.ts'
import { isJsonObject, textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { readJsonl } from '../platform/read-jsonl.ts'
import { lstatIfThere } from '../platform/quick-files.ts'
import type { DecisionRow } from '../views/decisions.ts'

/** What the firewall said to each tool call of a run, in order: the files lie beside the agents' answers. */
export async function decisionsOf(
  lines: Iterable<JournalLine> | AsyncIterable<JournalLine>,
): Promise<DecisionRow[]> {
  const rows: DecisionRow[] = []
  for await (const { type, data } of lines) {
    if (type !== 'agent.started' || !isJsonObject(data['prompt'])) continue
    const file = join(dirname(textOf(data['prompt']['path'])), 'decisions.jsonl')
    if ((await lstatIfThere(file)) === undefined) continue
    const step = `${textOf(data['step'])} ${textOf(data['visit'])}.${textOf(data['call'])}`
    for await (const { value } of readJsonl(file)) if (isJsonObject(value)) rows.push(rowOf(step, value))
  }
  return rows
}

function rowOf(step: string, line: JsonObject): DecisionRow {
  const text = (name: string) => textOf(line[name])
  return {
    ...{ at: text('at'), step, tool: text('tool'), what: text('what') },
    ...{ allow: line['allow'] === true, rule: text('rule'), reason: text('reason') },
  }
}
