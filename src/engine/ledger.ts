import type { StepResult } from '../model/step-result.ts'

/** What the steps of one list have come to, in order. An inner list sees the outer one's results behind its own. */
export interface Ledger {
  readonly entries: LedgerEntry[]
  /** How often each route of this list has been taken since it was last set to zero. */
  counts?: Map<string, number>
  /** Where a person has decided about a step: the number of entries then. What was before counts no more. */
  decided?: Map<string, number>
  readonly outer?: Ledger
}

export interface LedgerEntry {
  readonly step: string
  readonly visit: number
  readonly result: StepResult
}

export function openLedger(outer?: Ledger): Ledger {
  return outer ? { entries: [], outer } : { entries: [] }
}

/** Every item has a ledger of its own, and most take no route that is counted. */
export function setCount(ledger: Ledger, key: string, count: number): void {
  ledger.counts ??= new Map()
  ledger.counts.set(key, count)
}

/** From here on only what is still to come of a step counts. */
export function decide(ledger: Ledger, step: string): void {
  ledger.decided ??= new Map()
  ledger.decided.set(step, ledger.entries.length)
}

export function latest(ledger: Ledger, step: string): LedgerEntry | undefined {
  const own = ledger.entries.findLast((entry) => entry.step === step)
  return own ?? (ledger.outer && latest(ledger.outer, step))
}

/** The newest result of a kind, in this list or around it. */
export function latestWhere(ledger: Ledger, holds: (result: StepResult) => boolean): LedgerEntry | undefined {
  const own = ledger.entries.findLast(({ result }) => holds(result))
  return own ?? (ledger.outer && latestWhere(ledger.outer, holds))
}

/** All results of a step, oldest first. */
export function allOf(ledger: Ledger, step: string): LedgerEntry[] {
  const own = ledger.entries.filter((entry) => entry.step === step)
  return own.length > 0 || !ledger.outer ? own : allOf(ledger.outer, step)
}

export function hasRun(ledger: Ledger, step: string): boolean {
  return ledger.entries.some((entry) => entry.step === step)
}

/** Of the named steps, the one that ran last: who has to mend what a review found. */
export function lastAmong(ledger: Ledger, steps: readonly string[]): string | undefined {
  return ledger.entries.findLast((entry) => steps.includes(entry.step))?.step
}
