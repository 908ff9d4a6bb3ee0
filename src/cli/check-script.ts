import { nearest } from '../config/nearest.ts'
import type { Provider, ScriptEntries } from '../model/agent.ts'
import { FailureError } from '../model/failure.ts'
import type { Workflow } from '../model/workflow.ts'
import type { RunPlan } from './plan-run.ts'
import { partsOf } from './workbench.ts'
import type { Part } from './workbench.ts'

/** A script that was meant for this workflow and names a role or step wrongly would be noticed only in the run. */
export async function refuseStrangeScript({ loaded, script }: RunPlan, provider: Provider): Promise<void> {
  const entries = await provider.entries?.()
  const strange = entries && strangeEntry(entries, partsPlayedBy(loaded.workflow, provider.name))
  if (!strange) return
  const { section, name, fix } = strange
  const { placeOfEntry } = await import('../agents/script-file.ts')
  const place = placeOfEntry(script?.text ?? '', script?.file ?? 'script', [section, name])
  throw new FailureError({
    code: 'script.invalid',
    message: `${place}: workflow '${loaded.workflow.name}' has no ${section === 'roles' ? 'role' : 'step'} '${name}'.`,
    next: `In ${place} ${fix}.`,
  })
}

function partsPlayedBy(workflow: Workflow, provider: string): Part[] {
  return partsOf(workflow).filter(({ players }) => players.includes(provider))
}

interface StrangeEntry {
  readonly section: keyof ScriptEntries
  readonly name: string
  readonly fix: string
}

/** One script may serve several workflows, and a mode may need no agent at all: only what is nearly right here is a mistake. */
export function strangeEntry(
  entries: ScriptEntries,
  parts: readonly Pick<Part, 'role' | 'step'>[],
): StrangeEntry | undefined {
  const names = { roles: parts.map(({ role }) => role), steps: parts.map(({ step }) => step) }
  const silent = parts.filter(
    ({ role, step }) => !entries.roles.includes(role) && !entries.steps.includes(step),
  )
  const left = { roles: silent.map(({ role }) => role), steps: silent.map(({ step }) => step) }
  const unknown = sections.flatMap((section) =>
    entries[section].flatMap((name) => (names[section].includes(name) ? [] : [{ section, name }])),
  )
  for (const entry of unknown) {
    const fix = fixFor(entry, left)
    if (fix !== undefined) return { ...entry, fix }
  }
  return undefined
}

const sections = ['roles', 'steps'] as const

function fixFor({ section, name }: Omit<StrangeEntry, 'fix'>, left: ScriptEntries): string | undefined {
  const other = section === 'roles' ? 'steps' : 'roles'
  if (left[other].includes(name)) return `move '${name}' to '${other}'`
  const close = nearest(name, left[section])
  return close === undefined ? undefined : `write '${close}'`
}
