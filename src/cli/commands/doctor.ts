import { defaultProvider, providerNames } from '../../agents/registry.ts'
import { loadSettings } from '../../config/load-settings.ts'
import type { Examination } from '../../model/agent.ts'
import type { Settings } from '../../model/settings.ts'
import { doctorTable } from '../../views/doctor-table.ts'
import type { DoctorRow } from '../../views/doctor-table.ts'
import type { Command } from '../command.ts'
import { examineMachine } from '../examine-machine.ts'
import type { Finding } from '../finding.ts'
import { openLayers } from '../project.ts'
import { openProviders } from '../workbench.ts'
import type { Surroundings } from '../workbench.ts'

/** Whether a run could work here, without asking any model; each finding with what mends it. */
export async function doctor(
  { surroundings, output }: Command,
  flags: { readonly fix?: boolean },
): Promise<number> {
  const layers = await openLayers(surroundings.cwd, surroundings.env)
  const { settings } = await loadSettings({ layers, flags: {}, env: surroundings.env })
  const machine = await mended(await examineMachine(surroundings, settings), flags.fix === true)
  const wanted = settings.provider ?? defaultProvider
  const providers = await examineProviders(surroundings, settings)
  const rows = [
    ...machine.map(machineRow),
    ...providers.map((provider) => providerRow(provider, provider.name === wanted)),
  ]
  output.result(doctorTable(rows), {
    machine: machine.map(({ fix: _fix, ...finding }) => ({ ...finding })),
    providers: providers.map(({ name, ready, found }) => ({ name, ready, ...found })),
  })
  return rows.some(({ state }) => state === 'not ok') ? 2 : 0
}

interface Mended extends Finding {
  readonly mended?: boolean
}

async function mended(findings: readonly Finding[], fixes: boolean): Promise<readonly Mended[]> {
  const after: Mended[] = []
  for (const finding of findings) {
    const { name, ok, fix } = finding
    const isFixed = fixes && !ok && fix !== undefined
    after.push(isFixed ? { name, ok: true, says: await fix(), mended: true } : finding)
  }
  return after
}

interface Examined {
  readonly name: string
  readonly ready: boolean
  readonly found: Examination
}

async function examineProviders(
  surroundings: Surroundings,
  settings: Settings,
): Promise<readonly Examined[]> {
  const provider = openProviders(surroundings, settings, undefined)
  const examined: Examined[] = []
  for (const name of providerNames) {
    const found = await provider(name).examine?.()
    if (found)
      examined.push({ name, ready: found.program !== undefined && found.access !== undefined, found })
  }
  return examined
}

function machineRow({ name, ok, says, mend, mended: isMended }: Mended): DoctorRow {
  const state = isMended === true ? 'mended' : ok ? 'ok' : 'not ok'
  return { name, state, says, ...(mend === undefined ? {} : { mend }) }
}

/** A tool that nobody has asked for may be missing. */
function providerRow({ name, ready, found }: Examined, isWanted: boolean): DoctorRow {
  const state = ready ? 'ok' : isWanted ? 'not ok' : '-'
  return { name, state, says: providerText(found), ...(found.mend === undefined ? {} : { mend: found.mend }) }
}

function providerText({ program, version, supports, tested, isSupported, access }: Examination): string {
  const way = access === undefined ? 'no key, and its own login is not shared' : `gets in by ${access}`
  if (program === undefined) return `not found in PATH; ${way}`
  const warning = isSupported ? '' : ', which Baton was not made for'
  return `${program}, version ${version ?? 'unknown'}${warning} (${supports}, tested with ${tested}); ${way}`
}
