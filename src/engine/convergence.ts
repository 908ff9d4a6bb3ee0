import { findingsIn, findingsOf, isOpen, isSettled } from '../model/finding.ts'
import type { Finding } from '../model/finding.ts'
import { likeness } from '../model/same-finding.ts'
import type { StepResult } from '../model/step-result.ts'
import type { Step } from '../model/workflow.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'

/** A finding that comes back although it was dealt with, or that shows itself in another place. */
export type Repeated = {
  readonly finding: Finding
  readonly earlier: Finding
  /** The round in which it was raised first. */
  readonly round: number
  readonly how: 'marked' | 'elsewhere' | 'laps'
}

/** Laps that may be spent on a finding of which nobody says that it is dealt with. */
const patience = 2

/**
 * What a review raises again. Another lap over it would be the same lap: whoever mends it believes that it is
 * mended, and whoever reviews it does not remember. Only rounds since a person last decided count.
 */
export function repeatedFindings(ledger: Ledger, step: Step, result: StepResult): Repeated[] {
  if (step.type !== 'agent' || result.outcome !== 'revise') return []
  const history = ledger.entries.slice(ledger.decided?.get(step.id) ?? 0)
  // The result itself is the last entry.
  const last = history.findLastIndex((entry) => entry.step === step.id)
  const rounds = roundsOf(history.slice(0, last), step.id)
  if (rounds.length === 0) return []
  const raised = raisedIn(result).filter(isOpen)
  return raised.flatMap((finding) => repeats(finding, raised, rounds))
}

/** One round of the step: what it raised, and what was said of its findings afterwards. */
interface Round {
  readonly visit: number
  readonly raised: readonly Finding[]
  readonly settledAfterwards: ReadonlySet<string>
}

function roundsOf(history: readonly LedgerEntry[], step: string): Round[] {
  return history.flatMap((entry, index) => {
    if (entry.step !== step || entry.visit === 0) return []
    const later = history.slice(index + 1).flatMap(({ result }) => findingsOf(result.answer))
    const settledAfterwards = new Set(later.filter(isSettled).map(({ id }) => id))
    return [{ visit: entry.visit, raised: raisedIn(entry.result).filter(isOpen), settledAfterwards }]
  })
}

/** As the answer lists them; else as they stand in the report, or in the words that go back. */
function raisedIn({ answer, facts, reason }: StepResult): Finding[] {
  const listed = findingsOf(answer)
  if (listed.length > 0) return listed
  const reported = findingsOf(facts)
  return reported.length > 0 ? reported : findingsIn(reason ?? '')
}

function repeats(finding: Finding, raised: readonly Finding[], rounds: readonly Round[]): Repeated[] {
  const matches = rounds.flatMap(({ visit, raised: before, settledAfterwards }) =>
    before.flatMap((earlier) => {
      const kind = likeness(finding, earlier)
      if (!kind) return []
      // Raised no longer where it was: dealt with there, whether somebody says so or not.
      const isGone = kind === 'elsewhere' && !raised.some((one) => likeness(one, earlier) === 'same')
      return [{ kind, earlier, round: visit, isDealtWith: isGone || settledAfterwards.has(earlier.id) }]
    }),
  )
  const dealtWith = matches.find(({ isDealtWith }) => isDealtWith)
  if (dealtWith) {
    const { earlier, round, kind } = dealtWith
    return [{ finding, earlier, round, how: kind === 'elsewhere' ? 'elsewhere' : 'marked' }]
  }
  const laps = new Set(matches.map(({ round }) => round)).size
  const [first] = matches
  return first && laps >= patience
    ? [{ finding, earlier: first.earlier, round: first.round, how: 'laps' }]
    : []
}

/** For whoever is to deal with it now: why it did not go round once more. */
export function wordsFor({ finding, earlier, round, how }: Repeated): string {
  const what = `${finding.id} ${finding.about}`.trim().replaceAll(/\s+/g, ' ').slice(0, 300)
  const before = `${earlier.id || 'a finding'} of round ${round}`
  switch (how) {
    case 'marked':
      return `Found again though ${before} was marked as dealt with: ${what}`
    case 'elsewhere':
      return `The same as ${before} (${earlier.place || 'no place'}), now in another place: ${what}`
    case 'laps':
      return `Open since ${before}, ${patience} laps have not settled it: ${what}`
  }
}
