import type { DurableContext } from '../model/durable.ts'
import { ownEvent } from '../model/event.ts'
import type { RunEvent } from '../model/event.ts'
import { isJsonObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Emits, Says } from '../model/workflow.ts'
import { expand, expandValue } from '../model/template.ts'

export interface Moment {
  /** Names under which `says` and `emits` are looked up, the most exact first. */
  readonly names: readonly string[]
  readonly key: string
  /** Who speaks where the text names nobody. */
  readonly speaker: string
  /** Asked for only where a text has something to fill in: most moments say nothing. */
  readonly values: () => JsonObject
}

interface Tables {
  readonly says: Says
  readonly emits: Emits
}

/** Words for people and names for machines: both are the workflow's, written once however often it is replayed. */
export function speak(context: DurableContext, tables: Tables, moment: Moment): Promise<void> {
  const words = pick(tables.says, moment.names)
  const emitted = pick(tables.emits, moment.names)
  return words === undefined && emitted === undefined ? nothing : say(context, { words, emitted }, moment)
}

/** Most moments have no words, and a long replay comes by tens of thousands of them. */
const nothing = Promise.resolve()

interface Said {
  readonly words: string | undefined
  readonly emitted: Emits[string] | undefined
}

async function say(context: DurableContext, { words, emitted }: Said, moment: Moment): Promise<void> {
  // The last name is the kind of moment; the others are a workflow's own words, which keys may not hold.
  const kind = moment.names.at(-1) ?? ''
  if (words !== undefined && words !== '') {
    const line = spoken(expand(words, moment.values()), moment.speaker)
    await context.record(`${moment.key}/said/${kind}`, {
      type: 'said',
      role: line.speaker,
      data: { text: line.text },
    })
  }
  if (emitted !== undefined) {
    await context.record(
      `${moment.key}/emitted/${kind}`,
      emittedEvent(emitted, moment.speaker, moment.values()),
    )
  }
}

/** What a table of `emits` names, filled in. */
export function emittedEvent(emitted: Emits[string], speaker: string, values: JsonObject): RunEvent {
  const data = expandValue(emitted.data ?? {}, values)
  return ownEvent(emitted.type, speaker, isJsonObject(data) ? data : {})
}

function pick<T>(table: Readonly<Record<string, T>>, names: readonly string[]): T | undefined {
  const found = names.find((name) => Object.hasOwn(table, name))
  return found === undefined ? undefined : table[found]
}

/** A text may begin with its speaker: `ORCHESTRATOR: Task Received.` */
function spoken(text: string, speaker: string): { speaker: string; text: string } {
  const match = /^([A-Z][A-Z ]*[A-Z]): /.exec(text)
  return match?.[1] ? { speaker: match[1], text: text.slice(match[0].length) } : { speaker, text }
}

/** Label, outcome, and `else` for everything that is not ok. */
export function endMoments(label: string | undefined, outcome: string): string[] {
  const names = outcome === 'ok' ? [outcome, 'end'] : [outcome, 'else', 'end']
  return label === undefined ? names : [label, ...names]
}
