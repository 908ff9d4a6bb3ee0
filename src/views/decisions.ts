import { columns } from './snapshot-table.ts'

export interface DecisionRow {
  readonly at: string
  readonly step: string
  readonly tool: string
  readonly what: string
  readonly allow: boolean
  readonly rule: string
  readonly reason: string
}

interface RoleDecision {
  readonly role: string
  readonly set: string
  readonly allow: boolean
  readonly rule: string
  readonly reason: string
}

/** What the firewall says to one command, role by role. */
export function decisionTable(rows: readonly RoleDecision[]): string {
  const cells = rows.map(({ role, set, allow, rule, reason }) => [
    role,
    set,
    allow ? 'allowed' : 'denied',
    allow ? '' : `${rule}  ${reason}`,
  ])
  return columns([['ROLE', 'RULES', 'DECISION', 'WHY'], ...cells])
}

/** What the firewall said to the tool calls of a run, one after the other. */
export function decisionList(rows: readonly DecisionRow[]): string {
  if (rows.length === 0) return 'No tool call was decided on: the agents of this run do not ask.'
  const denied = rows.filter(({ allow }) => !allow).length
  const cells = rows.map((row) => [
    row.at.slice(11, 19),
    row.step,
    row.allow ? 'allowed' : 'denied',
    row.rule,
    row.allow ? `${row.tool}: ${row.what}` : `${row.tool}: ${row.what}\n          ${row.reason}`,
  ])
  const sum = `${rows.length - denied} allowed, ${denied} denied.`
  return `${columns([['WHEN', 'STEP', 'DECISION', 'RULE', 'TOOL CALL'], ...cells])}\n${sum}`
}
