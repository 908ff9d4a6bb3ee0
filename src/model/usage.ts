import type { JournalLine } from './event.ts'
import { isJsonObject, textOf } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** What one call of an agent has used, as far as its tool says. What it does not say is absent, never zero. */
export type Usage = {
  /** Tokens in, those from a cache included. */
  readonly input?: number
  readonly cached?: number
  readonly output?: number
  /** In US dollars. */
  readonly cost?: number
}

export const usageKeys = ['input', 'cached', 'output', 'cost'] as const

/** A sum that remembers how many calls did not tell: then it is a lower bound, and nothing else may be said. */
export type Sum = { readonly known: number; readonly unknown: number }

export type Tally = { readonly calls: number } & { readonly [key in (typeof usageKeys)[number]]: Sum }

const nothing: Sum = { known: 0, unknown: 0 }

export const emptyTally: Tally = { calls: 0, input: nothing, cached: nothing, output: nothing, cost: nothing }

/** Dollars in floating point: rounded to a hundred-millionth, so that the sum of many is still the sum. */
export function addUsage(tally: Tally, usage: Usage): Tally {
  const plus = ({ known, unknown }: Sum, more: number | undefined): Sum =>
    more === undefined ? { known, unknown: unknown + 1 } : { known: rounded(known + more), unknown }
  return {
    calls: tally.calls + 1,
    input: plus(tally.input, usage.input),
    cached: plus(tally.cached, usage.cached),
    output: plus(tally.output, usage.output),
    cost: plus(tally.cost, usage.cost),
  }
}

export function joinTallies(left: Tally, right: Tally): Tally {
  const both = (one: Sum, other: Sum): Sum => ({
    known: rounded(one.known + other.known),
    unknown: one.unknown + other.unknown,
  })
  return {
    calls: left.calls + right.calls,
    input: both(left.input, right.input),
    cached: both(left.cached, right.cached),
    output: both(left.output, right.output),
    cost: both(left.cost, right.cost),
  }
}

function rounded(value: number): number {
  return Math.round(value * 1e8) / 1e8
}

/** Dollars for a million tokens of a model. */
export interface Price {
  readonly input: number
  readonly cached?: number
  readonly output: number
}

/** What the tool says itself counts; else the price list, where all that it multiplies is known. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
  const { input, cached = 0, output, cost } = usage
  if (cost !== undefined || !price || input === undefined || output === undefined) return usage
  const fresh = Math.max(0, input - cached) * price.input
  return {
    ...usage,
    cost: rounded((fresh + cached * (price.cached ?? price.input) + output * price.output) / 1e6),
  }
}

/** As it stands in the journal; anything that is no number there is not known. */
function usageIn(value: Json | undefined): Usage {
  if (!isJsonObject(value)) return {}
  return Object.fromEntries(
    usageKeys.flatMap((key) => (typeof value[key] === 'number' ? [[key, value[key]]] : [])),
  )
}

export interface SpentBy {
  readonly step: string
  readonly role: string
  readonly provider: string
  readonly model: string
  readonly tally: Tally
}

/**
 * One row for each step, role, provider and model of a run, in the order of their first call. A call that was
 * started and whose end nobody saw has used something that is not known. What was undone was paid for all the same.
 */
export function spendingOf(lines: Iterable<JournalLine>): SpentBy[] {
  const spending = openSpending()
  for (const line of lines) spending.add(line)
  return spending.rows()
}

/** The same, line by line, for who does not have them all at once. The rows are asked for once, at the end. */
export function openSpending(): { add(line: JournalLine): void; rows(): SpentBy[] } {
  const started = new Map<string, Row>()
  const rows = new Map<string, SpentBy>()
  const settle = (row: Row, usage: Usage): void => {
    const id = JSON.stringify([row.step, row.role, row.provider, row.model])
    const before = rows.get(id)?.tally ?? emptyTally
    rows.set(id, { ...row, tally: addUsage(before, usage) })
  }
  return {
    add({ type, role, data }) {
      if (type !== 'agent.started' && type !== 'agent.finished') return
      const call = callOf(data)
      const open = started.get(call)
      if (type === 'agent.started') {
        // The engine was killed in the middle of it, and the call is made again.
        if (open) settle(open, {})
        started.set(call, rowOf(role, data))
      } else if (open) {
        started.delete(call)
        settle(named(open, data), usageIn(data['usage']))
      }
    },
    rows() {
      for (const row of started.values()) settle(row, {})
      return [...rows.values()]
    },
  }
}

type Row = Omit<SpentBy, 'tally'>

function callOf(data: JsonObject): string {
  return `${textOf(data['at'] ?? data['step'])}/${textOf(data['call'])}`
}

function rowOf(role: string, data: JsonObject): Row {
  const [step, provider, model] = ['step', 'provider', 'model'].map((key) => textOf(data[key]))
  return { step: step ?? '', role, provider: provider ?? '', model: model ?? '' }
}

/** Where nobody chose a model, the tool may say which one it took. */
function named(row: Row, data: JsonObject): Row {
  return row.model === '' ? { ...row, model: textOf(data['model']) } : row
}
