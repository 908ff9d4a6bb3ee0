import { defaultProvider, providerNames } from '../../agents/registry.ts'
import { loadSettings } from '../../config/load-settings.ts'
import type { Examination } from '../../model/agent.ts'
import type { Command } from '../command.ts'
import { openLayers } from '../project.ts'
import { openProviders } from '../workbench.ts'

/** Whether the providers are ready, without asking any model. */
export async function doctor({ surroundings, output }: Command): Promise<number> {
  const layers = await openLayers(surroundings.cwd, surroundings.env)
  const { settings } = await loadSettings({ layers, flags: {}, env: surroundings.env })
  const provider = openProviders(surroundings, settings, undefined)
  const rows: { name: string; ready: boolean; found: Examination }[] = []
  for (const name of providerNames) {
    const found = await provider(name).examine?.()
    if (found) rows.push({ name, ready: found.program !== undefined && found.access !== undefined, found })
  }
  const text = rows.map(
    ({ name, ready, found }) => `${name}: ${ready ? 'ready' : 'not ready'}\n${linesOf(found)}`,
  )
  output.result(
    text.join('\n'),
    rows.map(({ name, ready, found }) => ({ name, ready, ...found })),
  )
  const wanted = settings.provider ?? defaultProvider
  return rows.some(({ name, ready }) => name === wanted && !ready) ? 2 : 0
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
