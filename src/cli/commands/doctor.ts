import { defaultProvider, providerNames } from '../../agents/registry.ts'
import { loadSettings } from '../../config/load-settings.ts'
import type { Examination } from '../../model/agent.ts'
import type { Command } from '../command.ts'
import { examineMachine } from '../examine-machine.ts'
import type { Finding } from '../examine-machine.ts'
import { openLayers } from '../project.ts'
import { openProviders } from '../workbench.ts'

/** Whether a run could work here, without asking any model; each finding with what mends it. */
export async function doctor({ surroundings, output }: Command): Promise<number> {
  const layers = await openLayers(surroundings.cwd, surroundings.env)
  const { settings } = await loadSettings({ layers, flags: {}, env: surroundings.env })
  const machine = await examineMachine(surroundings, settings)
  const provider = openProviders(surroundings, settings, undefined)
  const rows: { name: string; ready: boolean; found: Examination }[] = []
  for (const name of providerNames) {
    const found = await provider(name).examine?.()
    if (found) rows.push({ name, ready: found.program !== undefined && found.access !== undefined, found })
  }
  const text = [
    ...machine.map(machineLine),
    ...rows.map(({ name, ready, found }) => `${name}: ${ready ? 'ready' : 'not ready'}\n${linesOf(found)}`),
  ]
  output.result(text.join('\n'), {
    machine: machine.map((finding) => ({ ...finding })),
    providers: rows.map(({ name, ready, found }) => ({ name, ready, ...found })),
  })
  const wanted = settings.provider ?? defaultProvider
  const isMissing = rows.some(({ name, ready }) => name === wanted && !ready)
  return isMissing || machine.some(({ ok }) => !ok) ? 2 : 0
}

function machineLine({ name, ok, says, mend }: Finding): string {
  return `${name}: ${ok ? 'ok' : 'not ok'}\n  ${says}${mend === undefined ? '' : `\n  next: ${mend}`}`
}

function linesOf({ program, version, supports, tested, isSupported, access }: Examination): string {
  const warning = isSupported ? '' : ', which Baton was not made for'
  return [
    program === undefined ? '  not found in PATH' : `  found ${program}`,
    ...(program === undefined
      ? []
      : [`  version ${version ?? 'unknown'}${warning} (${supports}, tested with ${tested})`]),
    access === undefined ? '  no key, and its own login is not shared' : `  gets in by ${access}`,
  ].join('\n')
}
