import type { SpentBy } from '../model/usage.ts'
import { costByRole } from './cost-table.ts'
import type { DecisionRow } from './decisions.ts'
import type { ReportTable } from './words.ts'

/** More are left to `baton firewall explain`: a page has to open on a phone. */
const mostDecisions = 500

/** What a run has used and what its agents were allowed, for whoever reads its report. */
export function reportTables(
  spent: readonly SpentBy[],
  decisions: readonly DecisionRow[],
): readonly ReportTable[] {
  return [costByRole(spent), firewallTable(decisions)]
}

function firewallTable(decisions: readonly DecisionRow[]): ReportTable {
  const denied = decisions.filter(({ allow }) => !allow).length
  return {
    title: 'Firewall decisions',
    kind: 'words',
    note: firewallNote(decisions.length, denied),
    header: ['Decision', 'Step', 'Tool', 'What', 'Rule', 'Reason'],
    // What was denied is what somebody looks for: it must not be among what is cut off.
    rows: decisions
      .toSorted((one, other) => Number(one.allow) - Number(other.allow))
      .slice(0, mostDecisions)
      .map(({ allow, step, tool, what, rule, reason }) => [
        ...[allow ? 'allowed' : 'denied', step, tool],
        ...[what, rule, reason],
      ]),
  }
}

function firewallNote(all: number, denied: number): string {
  if (all === 0) return 'No tool of an agent has asked.'
  const more =
    all > mostDecisions ? ` The first ${mostDecisions} of them, denied ones before the others.` : ''
  return `${all} asked, ${denied} denied.${more}`
}
