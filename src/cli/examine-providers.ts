import { toolNames } from '../agents/registry.ts'
import type { LoadedWorkflow } from '../config/loaded-workflow.ts'
import { defined } from '../config/records.ts'
import type { Examination, Provider } from '../model/agent.ts'
import { FailureError } from '../model/failure.ts'
import type { Json } from '../model/json.ts'
import type { Settings } from '../model/settings.ts'
import type { DoctorRow } from '../views/doctor-table.ts'
import { openProviders, playersOf } from './workbench.ts'
import type { Surroundings } from './workbench.ts'

/** A provider as it was found here, and whom it is found for. */
export interface ExaminedProvider {
  readonly row: DoctorRow
  readonly json: Json
}

interface Stage {
  readonly settings: Settings
  /** Absent where it cannot be read. */
  readonly loaded: LoadedWorkflow | undefined
}

/** Those that the workflow's roles are played by come first; then the tools that Baton and the settings know. */
export async function examineProviders(
  surroundings: Surroundings,
  { settings, loaded }: Stage,
): Promise<readonly ExaminedProvider[]> {
  const script = settings.script === undefined ? undefined : { file: settings.script }
  const provider = openProviders(surroundings, settings, script)
  const players = loaded ? playersOf(loaded.workflow) : new Map<string, string[]>()
  const named = settings.provider === undefined ? [] : [settings.provider]
  const names = new Set([...players.keys(), ...named, ...toolNames, ...Object.keys(settings.providers)])
  const examined: ExaminedProvider[] = []
  for (const name of names) {
    const found = await look(() => provider(name))
    const roles = players.get(name) ?? []
    const state = found.ready ? 'ok' : roles.length > 0 || named.includes(name) ? 'not ok' : '-'
    const says = [wordsOf(found), castWords(roles, loaded)].filter((words) => words !== '').join('; ')
    examined.push({
      row: { name, state, says, ...defined({ mend: found.mend }) },
      json: { name, ready: found.ready, roles: [...roles], ...jsonOf(found) },
    })
  }
  return examined
}

interface Found extends Examination {
  /** Of a provider that has nothing to be examined: what it says itself. */
  readonly says?: string
}

/** Not there is a finding here, and no reason to end. */
async function look(open: () => Provider): Promise<Found> {
  try {
    const provider = open()
    if (provider.examine) return await provider.examine()
    await provider.check()
    return { ready: true, says: 'ready' }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    return { ready: false, says: error.message, mend: error.next }
  }
}

function jsonOf({ says, program, version, supports, tested, isSupported, access, mend }: Found): {
  [key: string]: Json
} {
  return defined({ says, program, version, supports, tested, is_supported: isSupported, access, mend })
}

function wordsOf({ says, program, version, supports, tested, isSupported, access }: Found): string {
  if (says !== undefined) return says
  if (supports === undefined) return program ?? 'not found in PATH'
  const way = access === undefined ? 'no key, and its own login is not shared' : `gets in by ${access}`
  if (program === undefined) return `not found in PATH; ${way}`
  const warning = isSupported === true ? '' : ', which Baton was not made for'
  return `${program}, version ${version ?? 'unknown'}${warning} (${supports}, tested with ${tested ?? '?'}); ${way}`
}

/** Nothing for a tool that no role needs: its state says so. */
function castWords(roles: readonly string[], loaded: LoadedWorkflow | undefined): string {
  if (!loaded || roles.length === 0) return ''
  const isAll = roles.length === Object.keys(loaded.workflow.roles).length
  return isAll ? 'for all roles' : `for ${roles.join(', ')}`
}
