import type { JsonObject } from '../model/json.ts'
import { dollars } from '../model/spending.ts'
import { emptyTally, joinTallies, usageKeys } from '../model/usage.ts'
import type { SpentBy, Sum, Tally } from '../model/usage.ts'
import { columns } from './snapshot-table.ts'
import type { ReportTable } from './words.ts'

/** `baton cost`: by step, by role, and all in all. */
export function costTable(run: string, rows: readonly SpentBy[]): string {
  if (rows.length === 0) return `No agent was started in run ${run} yet.\n`
  const total = totalOf(rows)
  const steps = rows.map((row) => [row.step, row.role, whoOf(row), ...figures(row.tally)])
  const roles = byRole(rows).map(([role, tally]) => ['', role, '', ...figures(tally)])
  const table = columns([header, ...steps, ['by role'], ...roles, ['all', '', '', ...figures(total)]])
  return `${table}\n${isUncertain(total) ? `${note}\n` : ''}`
}

/** The same by role alone, for a report. */
export function costByRole(rows: readonly SpentBy[]): ReportTable {
  const total = totalOf(rows)
  const roles = byRole(rows).map(([role, tally]) => [role, ...figures(tally)])
  return {
    ...{ title: 'Cost by role', kind: 'counts', header: ['Role', ...counted] },
    note: rows.length === 0 ? 'No agent was started.' : unclearNote(total),
    rows: rows.length === 0 ? [] : [...roles, ['all', ...figures(total)]],
  }
}

function unclearNote(total: Tally): string {
  return isUncertain(total)
    ? '? means that the tool did not say; with a number before it, it is at least that.'
    : ''
}

const counted = ['Calls', 'Input', 'Cached', 'Output', 'Cost']

const header = ['STEP', 'ROLE', 'PLAYED BY', 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'COST']

const note =
  '? means that the tool did not say; with a number before it, it is at least that. Prices of models are a setting: prices'

/** For a report in Markdown: by role, and all in all. Nothing where nobody was asked. */
export function costLines(rows: readonly SpentBy[]): string[] {
  if (rows.length === 0) return []
  const total = totalOf(rows)
  const lines = [...byRole(rows), ['all', total] as const].map(
    ([role, tally]) => `| ${[role, ...figures(tally)].join(' | ')} |`,
  )
  return [
    '| role | calls | input | cached | output | cost |',
    '|---|---|---|---|---|---|',
    ...lines,
    ...(isUncertain(total) ? ['', '? means that the tool did not say.'] : []),
  ]
}

function whoOf({ provider, model }: SpentBy): string {
  return model === '' ? provider : `${provider} ${model}`
}

function figures({ calls, input, cached, output, cost }: Tally): string[] {
  return [
    String(calls),
    ...[input, cached, output].map((sum) => shown(sum, (known) => known.toLocaleString('en-US'))),
    shown(cost, dollars),
  ]
}

/** Nothing known is a question mark, never a zero. */
function shown({ known, unknown }: Sum, words: (known: number) => string): string {
  if (unknown === 0) return words(known)
  return known === 0 ? '?' : `${words(known)} + ?`
}

function isUncertain(tally: Tally): boolean {
  return usageKeys.some((key) => tally[key].unknown > 0)
}

function totalOf(rows: readonly SpentBy[]): Tally {
  return rows.map(({ tally }) => tally).reduce(joinTallies, emptyTally)
}

function byRole(rows: readonly SpentBy[]): [string, Tally][] {
  const roles = new Map<string, Tally>()
  for (const { role, tally } of rows) roles.set(role, joinTallies(roles.get(role) ?? emptyTally, tally))
  return [...roles]
}

/** For machines: `unknown` counts the calls whose figure is missing from `known`. */
export function costDocument(rows: readonly SpentBy[]): JsonObject {
  return {
    steps: rows.map(({ tally, ...row }) => ({ ...row, ...tally })),
    roles: byRole(rows).map(([role, tally]) => ({ role, ...tally })),
    total: totalOf(rows),
  }
}
