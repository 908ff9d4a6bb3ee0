import type { WorkflowFile } from '../model/workflow-file.ts'
import { nearest, writeInstead } from './nearest.ts'
import type { Outline } from './outline.ts'
import type { Finding, Path } from './problems.ts'

type ModeFile = NonNullable<WorkflowFile['modes']>[string]

/** A mode begins at a step of the top list, and stops at the same step or a later one. */
export function checkModes(outline: Outline): Finding[] {
  const steps = outline.file.steps.map(({ id }) => id)
  const modes = Object.entries(outline.file.modes ?? {})
  return [...modes.flatMap(([name, mode]) => modeFindings(name, mode, steps)), ...modeInputFindings(outline)]
}

function modeFindings(name: string, mode: ModeFile, steps: readonly string[]): Finding[] {
  const path = ['modes', name]
  if (typeof mode === 'string') return endFindings(`mode '${name}' begins at`, { step: mode, path }, steps)
  const { from, to = from } = mode
  const found = [
    ...endFindings(`mode '${name}' begins at`, { step: from, path: [...path, 'from'] }, steps),
    ...(to === from
      ? []
      : endFindings(`mode '${name}' stops after`, { step: to, path: [...path, 'to'] }, steps)),
  ]
  if (found.length > 0 || steps.indexOf(to) >= steps.indexOf(from)) return found
  const message = `mode '${name}' stops after '${to}', which comes before '${from}'`
  return [{ path: [...path, 'to'], message, fix: `write '${from}' or a later step` }]
}

interface ModeEnd {
  readonly step: string
  readonly path: Path
}

function endFindings(said: string, { step, path }: ModeEnd, steps: readonly string[]): Finding[] {
  if (steps.includes(step)) return []
  return [{ path, message: `${said} '${step}', which is no step of 'steps'`, fix: writeInstead(step, steps) }]
}

/** An input called `mode` chooses among the modes, so it may offer nothing else. */
function modeInputFindings({ file }: Outline): Finding[] {
  const modes = Object.keys(file.modes ?? {})
  const options = file.inputs?.['mode']?.options ?? []
  if (modes.length === 0) return []
  return options.flatMap((option, index) => {
    if (modes.includes(option)) return []
    const close = nearest(option, modes)
    const fix = close === undefined ? `add '${option}' under 'modes'` : `write '${close}'`
    return [{ path: ['inputs', 'mode', 'options', index], message: `there is no mode '${option}'`, fix }]
  })
}
