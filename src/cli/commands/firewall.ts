import { decide } from '../../firewall/decide.ts'
import { rulesForRole } from '../../firewall/rules-for-role.ts'
import { readJournal } from '../../journal/read-journal.ts'
import { findRun } from '../../journal/run-folder.ts'
import { FailureError } from '../../model/failure.ts'
import type { Role, Workflow } from '../../model/workflow.ts'
import { decisionList, decisionTable } from '../../views/decisions.ts'
import type { Command } from '../command.ts'
import { openLayers, openProject } from '../project.ts'
import { decisionsOf } from '../run-decisions.ts'
import { loadAll } from '../workbench.ts'

/** `baton firewall test`: what the firewall would say, before anybody asks it. */
export async function tryCommand(
  { surroundings, output }: Command,
  command: string,
  flags: { readonly role?: string; readonly workflow?: string; readonly merging?: boolean },
): Promise<number> {
  const { cwd, env } = surroundings
  const layers = await openLayers(cwd, env)
  const { settings, loaded } = await loadAll(layers, { flags: { workflow: flags.workflow }, env })
  const { workflow } = loaded
  const rows = rolesOf(workflow, flags.role).map((role) => {
    const mayWrite = role.mayWrite.map((pattern) => inPaths(pattern, workflow))
    const given = { merging: flags.merging === true, ...settings.firewall }
    const rules = rulesForRole({ role: { ...role, mayWrite }, worktree: cwd }, given)
    return { role: role.name, set: rules.set, ...decide(rules, { kind: 'shell', name: 'shell', command }) }
  })
  output.result(decisionTable(rows), rows)
  return 0
}

function rolesOf({ name, roles }: Workflow, wanted: string | undefined): readonly Role[] {
  if (wanted === undefined) return Object.values(roles)
  const role = roles[wanted]
  if (role) return [role]
  throw new FailureError({
    code: 'role.unknown',
    message: `The workflow '${name}' has no role '${wanted}'.`,
    next: `Choose one of: ${Object.keys(roles).join(', ')}`,
  })
}

/** Names of a single run stay as they are: there is none yet. */
function inPaths(pattern: string, { paths }: Workflow): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (whole, name: string) => paths[name] ?? whole)
}

/** `baton firewall explain`: each decision of a run, with the rule that made it. */
export async function explain({ surroundings, output }: Command, run: string | undefined): Promise<number> {
  const { runsDir } = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(runsDir, run)
  const rows = await decisionsOf(readJournal(folder.journal))
  output.result(
    decisionList(rows),
    rows.map((row) => ({ ...row })),
  )
  return 0
}
